/** Rules for notifications of changes. */

import type { Params } from '../../protocol/revisions.ts'
import { isObject } from '../peer.ts'
import { changed, covers, filter, metaOf, type Rule, when } from './seen.ts'

export const notificationRules: readonly Rule[] = [
  [
    'R-146 D',
    ({ method, params, peer }) =>
      when(method === 'notifications/resources/updated', () =>
        peer.asked.some(
          (one) => one.method === 'resources/subscribe' && covers([one.params.uri], params.uri),
        ),
      ),
  ],
  [
    'R-149 DE',
    ({ method, params }) =>
      when(method === 'notifications/resources/updated', () =>
        Object.keys(params).every((name) => name === 'uri' || name === '_meta'),
      ),
  ],
  [
    'R-155 E',
    (seen) =>
      when(seen.listen && !seen.method.endsWith('acknowledged'), () => {
        const kind = changed.exec(seen.method)?.[1]
        return kind ? filter(seen)[`${kind}ListChanged`] === true : seen.method.endsWith('updated')
      }),
  ],
  [
    'R-156 E',
    ({ peer, got, subscription }) =>
      when(subscription !== undefined && got.message.method, () => {
        const first = peer.got.find(
          (one) =>
            isObject(one.message.params) &&
            metaOf({ params: one.message.params })['io.modelcontextprotocol/subscriptionId'] ===
              subscription,
        )
        return first?.message.method === 'notifications/subscriptions/acknowledged'
      }),
  ],
  [
    'R-158 E',
    (seen) =>
      when(
        /acknowledged$|_changed$|\/updated$/.test(String(seen.got.message.method)),
        () => seen.listen,
      ),
  ],
  [
    'R-162 E',
    (seen) =>
      when(seen.method === 'notifications/resources/updated', () =>
        covers(filter(seen).resourceSubscriptions, seen.params.uri),
      ),
  ],
  [
    'R-174 E',
    (seen) =>
      when(
        changed.test(seen.method),
        () => filter(seen)[`${changed.exec(seen.method)?.[1]}ListChanged`],
      ),
  ],
  [
    'R-177 DE',
    ({ method, caps }) => {
      const kind = changed.exec(method)?.[1]
      return when(kind, () => (caps[kind as string] as Params | undefined)?.listChanged)
    },
  ],
  [
    'R-178 DE',
    ({ got: { message } }) =>
      when(changed.test(String(message.method)), () =>
        Object.keys((message.params as Params) ?? {}).every((name) => name === '_meta'),
      ),
  ],
]
