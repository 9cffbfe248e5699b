/** A message that the gateway reports to monitors; web/docs/protocol.md, monitoring. */

/** How the gateway names clients without a name of their own. */
const unnamed: readonly string[] = ['token', 'stdio', 'anyone']

/** Whether the gateway vouches for a name: that of a token, or of `pagemcp stdio --as`. */
export const isVouched = (who: string): boolean => !unnamed.includes(who)

/** The name that the gateway vouches for, else what the assistant calls itself, else how it was authenticated. */
export const assistantOf = ({ client, who }: Pick<GatewayMessage, 'client' | 'who'>): string =>
  isVouched(who) ? who : client || who

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
