import type { GatewayQuestion } from './credentials.ts'
import { lazily } from './module.ts'

/**
 * Shows the question of confirm-dialog.ts, which is loaded by the first one; one after the other if there
 * are several. In doubt the page keeps its gateway.
 *
 * @param signal - takes the question away; the answer is then false
 * @returns true if the user wants the gateway of the link
 */
export async function confirmGateway(
  question: GatewayQuestion,
  signal?: AbortSignal,
): Promise<boolean> {
  const dialog = await lazily('confirm-dialog.js', import('./confirm-dialog.ts'))
  return dialog.confirmGateway(question, signal)
}
