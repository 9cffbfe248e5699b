/**
 * What a classic session on a port is made of, so that a new program can continue it: the parameters of
 * `initialize`, the log level, the subscriptions. Modern requests carry all of that themselves.
 */

import type { Receiver } from './receiver.ts'
import type { Replies } from './replies.ts'
import type { ClientState, Params } from './requests.ts'
import type { ListName } from './source.ts'

/** Notes what an answered request has changed. */
export function noteSession(client: ClientState, method: string, params: Params): void {
  const { session } = client
  switch (method) {
    case 'initialize':
      client.session = { params, initialized: false, level: undefined, uris: new Set() }
      break
    case 'logging/setLevel':
      if (session) session.level = params
      break
    case 'resources/subscribe':
      session?.uris.add(String(params.uri))
      break
    case 'resources/unsubscribe':
      session?.uris.delete(String(params.uri))
  }
}

/**
 * Repeats the session of a client for a new program. Notifies the client of everything that may have
 * changed while there was no program.
 *
 * @param lists - whose changes are announced
 */
export function replaySession(
  client: ClientState,
  lists: readonly ListName[],
  { replay, handOver }: Pick<Receiver, 'replay' | 'handOver'>,
  { post }: Pick<Replies, 'post'>,
): void {
  const { session } = client
  if (session === undefined) return
  replay(client, 'initialize', session.params)
  if (session.initialized) {
    handOver(client, '{"jsonrpc":"2.0","method":"notifications/initialized"}')
    for (const list of lists) {
      post(client, { jsonrpc: '2.0', method: `notifications/${list}/list_changed` })
    }
  }
  if (session.level) replay(client, 'logging/setLevel', session.level)
  client.session = session // the repeated initialize has made an empty one
  for (const uri of session.uris) {
    replay(client, 'resources/subscribe', { uri })
    post(client, { jsonrpc: '2.0', method: 'notifications/resources/updated', params: { uri } })
  }
}
