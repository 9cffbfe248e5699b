/** What the gateway reports of its traffic; web/docs/protocol.md, monitoring. */

/** One message between an assistant and the gateway. */
export interface GatewayMessage {
  /** ms since 1970 */
  time: number
  /** How the gateway knows the assistant: `token`, `stdio`. */
  who: string
  /** What it calls itself. */
  client: string
  /** Where it came in: `/mcp`, `/mcp/notes`, `/ws`, `stdio`. */
  door: string
  /** The page that it is about; `''`: several, or none. */
  page: string
  to: 'assistant' | 'page'
  /** bytes */
  size: number
  /** Without secrets. */
  text: string
}
