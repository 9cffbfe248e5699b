/**
 * What users see of access, `pagemcp/access`: elements that list the assistants of the page and end their access, and
 * their data for apps that draw their own. It has no engine: it uses `mcp.access` and the event `access`.
 *
 * ```ts
 * import { start } from 'pagemcp'
 * import { defineAccess } from 'pagemcp/access'
 *
 * const mcp = await start({ name: 'notes', access: 'ask' })
 * defineAccess(mcp) // <pagemcp-access-indicator></pagemcp-access-indicator> in the page
 * ```
 */

export { type AccessElement, defineAccess } from './access-element/elements.ts'
export { assistantName } from './access-element/names.ts'
export {
  type AccessHost,
  type AccessState,
  type AssistantState,
  type WatchOptions,
  watchAccess,
} from './access-element/watch.ts'
export type {
  AccessDecision,
  AccessReason,
  AssistantAccess,
  AssistantGrant,
  AuditEntry,
  Grant,
  PageAccess,
  Right,
  Withheld,
} from './access-types.ts'
export { type ClickGuard, guardClicks } from './dialog-parts.ts'
