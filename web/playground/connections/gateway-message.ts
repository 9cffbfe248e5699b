/** A message that the gateway reports to monitors; testdata/wire.md, monitoring. */

/** One message between an assistant and the gateway. */
export interface GatewayMessage {
  /** ms since 1970 */
  time: number
  /** The name of the assistant, or how one without a name was authenticated: `token`, `stdio`. */
  who: string
  /** What the assistant calls itself. */
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
