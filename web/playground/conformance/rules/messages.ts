/** Rules for all messages: JSON-RPC, progress, log messages, and requests for input. */

import type { Params } from '../../protocol/revisions.ts'
import { isObject } from '../peer.ts'
import {
  fits,
  hints,
  inputs,
  isString,
  log,
  metaOf,
  needsInput,
  progress,
  type Rule,
  tokens,
  when,
} from './seen.ts'

export const messageRules: readonly Rule[] = [
  ['R-001 DE', ({ got }) => got.message.jsonrpc === '2.0'],
  [
    'R-007 DE',
    ({ got: { message } }) =>
      when(message.method === undefined, () => 'result' in message !== 'error' in message),
  ],
  ['R-008 DE', ({ error }) => error && Number.isInteger(error.code) && isString(error.message)],
  [
    'R-043 E',
    ({ result }) =>
      result &&
      isObject(result._meta) &&
      fits(result._meta['io.modelcontextprotocol/serverInfo'], 'Implementation', 'E'),
  ],
  ['R-049 E', ({ result }) => result && isString(result.resultType)],
  [
    'R-050 E',
    ({ result }) => result && /^(complete|input_required)$/.test(String(result.resultType)),
  ],
  ['R-051 E', ({ got: { message } }) => !('method' in message && 'id' in message)],
  [
    'R-032 D',
    ({ got: { message } }) =>
      !('id' in message && /^(sampling|elicitation|roots)\//.test(String(message.method))),
  ],
  [
    'R-052 E',
    ({ error }) =>
      when(error?.code === -32021, () =>
        isObject((error?.data as Params | undefined)?.requiredCapabilities),
      ),
  ],
  ['R-062 D', ({ error }) => error && !/^-3202[012]$/.test(`${error.code}`)],
  [
    'R-064 DE',
    ({ era, result }) =>
      result &&
      (era === 'E' ? 'resultType' in result : !('resultType' in result) && !hints(result)),
  ],
  [
    'R-074 E',
    ({ got, params, peer }) =>
      when(got.message.method === 'notifications/cancelled', () =>
        peer.asked.some((one) => one.id === params.requestId && one.method.endsWith('/listen')),
      ),
  ],
  [
    'R-075 DE',
    ({ method, params, peer }) =>
      when(method === progress, () =>
        tokens(peer).some((one) => `${one}` === `${params.progressToken}`),
      ),
  ],
  [
    'R-076 DE',
    ({ method, params, peer, got }) =>
      when(method === progress, () =>
        peer.got.slice(0, peer.got.indexOf(got)).every(({ message }) => {
          const before = (message.params ?? {}) as Params
          return (
            message.method !== progress ||
            before.progressToken !== params.progressToken ||
            Number(before.progress) < Number(params.progress)
          )
        }),
      ),
  ],
  [
    'R-077 DE',
    ({ method, params, peer, got }) =>
      when(method === progress, () =>
        peer.asked.every(
          (one) =>
            metaOf(one).progressToken !== params.progressToken ||
            !one.reply ||
            peer.got.indexOf(one.reply) > peer.got.indexOf(got),
        ),
      ),
  ],
  [
    'R-079 DE',
    ({ method, params, peer }) =>
      when(method === progress, () => tokens(peer).includes(params.progressToken)),
  ],
  [
    'R-080 E',
    ({ method, subscription }) =>
      when(method === progress || method === log, () => subscription === undefined),
  ],
  [
    'R-167 E',
    ({ method, subscription }) =>
      when(subscription !== undefined, () => method !== progress && method !== log),
  ],
  ['R-083 E', (seen) => seen.result && (!needsInput(seen) || inputs.test(seen.method))],
  [
    'R-084 E',
    (seen) =>
      when(
        needsInput(seen),
        () => 'inputRequests' in (seen.result ?? {}) || 'requestState' in (seen.result ?? {}),
      ),
  ],
  ['R-085 E', (seen) => when(needsInput(seen), () => fits(seen.result, 'InputRequired', 'E'))],
  [
    'R-086 E',
    (seen) =>
      when(
        needsInput(seen),
        () => Object.keys((seen.result?.inputRequests as Params) ?? {}).length === 0,
      ),
  ],
  ['R-092 E', (seen) => when(needsInput(seen), () => !hints(seen.result ?? {}))],
  ['R-099 DE', ({ method, caps }) => when(method === log, () => caps.logging)],
  [
    'R-101 E',
    ({ method, peer }) =>
      when(method === log, () =>
        peer.asked.some((one) => 'io.modelcontextprotocol/logLevel' in metaOf(one)),
      ),
  ],
]
