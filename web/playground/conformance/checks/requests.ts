/** What the checks send, and what they read of a server. */

import type { Params } from '../../protocol/revisions.ts'
import { type Era, isObject, type Peer, type Reply, revisionOf } from '../peer.ts'
import { skip, type Trial } from '../trial.ts'

export const version = 'io.modelcontextprotocol/protocolVersion'
export const abilities = 'io.modelcontextprotocol/clientCapabilities'
export const level = 'io.modelcontextprotocol/logLevel'
export const subscription = 'io.modelcontextprotocol/subscriptionId'
export const envelope: Params = { [version]: revisionOf.E, [abilities]: {} }

/** What each capability makes available: a request that works without arguments, or is rejected for them. */
export const offers: readonly (readonly [string, string, string])[] = [
  ['resources', 'resources/list', 'R-104'],
  ['prompts', 'prompts/list', 'R-193'],
  ['tools', 'tools/list', 'R-362'],
  ['completions', 'completion/complete', 'R-179'],
]

export const unknownUri = (trial: Trial) => {
  const scheme = /^[^:]+/.exec(String(trial.some('resources')[0]?.uri ?? 'conformance'))
  return `${scheme}://conformance-unknown/${Date.now()}`
}

/** The text of a request in the form of the era, to be made wrong. */
export const text = (era: Era, more: Params, meta: Params = envelope) =>
  JSON.stringify({
    jsonrpc: '2.0',
    id: 'raw',
    method: era === 'E' ? 'server/discover' : 'ping',
    ...(era === 'E' && { params: { _meta: meta } }),
    ...more,
  })

export const raw = async (trial: Trial, line: string): Promise<Reply> =>
  (await trial.main.raw(line, { expected: true }))[0] as Reply

export const need = (trial: Trial, path: string) =>
  path
    .split('.')
    .reduce<unknown>((caps, name) => (isObject(caps) ? caps[name] : undefined), trial.caps) ||
  skip(`${path} not declared`)

/** A list that the server has. */
export const aList = (trial: Trial): string =>
  offers.find(([name, method]) => trial.caps[name] && method.endsWith('/list'))?.[1] ??
  skip('no lists')

/** Opens a subscription and waits for its acknowledgement. */
export async function listen(peer: Peer, notifications: unknown, id?: unknown) {
  const asked = peer.begin(
    'subscriptions/listen',
    { notifications },
    id === undefined ? {} : { id },
  )
  const tagged = () =>
    peer.got.find(({ message: { params } }) => {
      const meta = isObject(params) && isObject(params._meta) ? params._meta : {}
      return JSON.stringify(meta[subscription]) === JSON.stringify(asked.id)
    })
  await peer.until(() => tagged() !== undefined || asked.reply !== undefined)
  const ack = tagged()
  const params = (ack?.message.params ?? {}) as Params
  return {
    asked,
    row: ack?.row ?? asked.row,
    text: ack?.text ?? asked.reply?.text,
    granted: params.notifications as Params | undefined,
  }
}

export const end = (peer: Peer, id: unknown) =>
  peer.notify('notifications/cancelled', { requestId: id })

/** Values for the arguments of a prompt: completions, else a word. */
export async function argumentsOf(trial: Trial, prompt: Params, all: boolean): Promise<Params> {
  const values: Params = {}
  for (const { name, required } of (prompt.arguments ?? []) as {
    name: string
    required?: boolean
  }[])
    if (all || required) {
      const some = await complete(trial, { type: 'ref/prompt', name: prompt.name }, name)
      values[name] = some[0] ?? 'test'
    }
  return values
}

export async function complete(trial: Trial, ref: Params, name: string): Promise<string[]> {
  if (!trial.caps.completions) return []
  const { result } = await trial.ask('completion/complete', { ref, argument: { name, value: '' } })
  const values = isObject(result?.completion) ? result.completion.values : []
  return Array.isArray(values) ? (values as string[]) : []
}
