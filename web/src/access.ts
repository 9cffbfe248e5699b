/**
 * What users see of access, `pagemcp/access`: an element that lists the assistants of the page and ends their access. It has
 * no engine: it uses `mcp.access` and the event `access`.
 */

export { type AccessHost, assistantName, defineAccess } from './access/panel.ts'
