/** A message that the gateway reports to monitors; web/docs/protocol.md, monitoring. */

/** One message between an assistant and the gateway. */
export interface GatewayMessage {
  /** ms since 1970 */
  time: number
  /** How the assistant was authenticated: `token`, `stdio`. */
  who: string
  /** The assistant's own name. */
  client: string
  /** The endpoint: `/mcp`, `/mcp/notes`, `/ws`, `stdio`. */
  door: string
  /** The page that received or sent it; `''`: several, or none. */
  page: string
  to: 'assistant' | 'page'
  /** bytes */
  size: number
  /** Without secrets. */
  text: string
}
