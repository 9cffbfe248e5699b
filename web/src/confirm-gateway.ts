import type { GatewayQuestion } from './credentials.ts'
import { lazily } from './module.ts'

/** Asks by the dialog of the package, which is loaded by the first question: see access/dialog.ts. */
export async function confirmGateway(
  question: GatewayQuestion,
  signal?: AbortSignal,
): Promise<boolean> {
  const dialog = await lazily('dialog.js', import('./access/dialog.ts'))
  return dialog.confirmGateway(question, signal)
}
