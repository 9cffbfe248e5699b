/**
 * The set of malformed messages, and what each must be answered with. Each has one defect, changes nothing at a server,
 * and is a message of one revision. Names in the languages of the playground are in malformed.json.
 */

import type { Dialer } from '../connections/transport.ts'
import { letterOf } from '../protocol/methods.ts'
import { envelope, isModern, type Params, type Revision } from '../protocol/revisions.ts'

export interface Malformed {
  id: string
  /** The requirement that says what must happen, of requirements.json. */
  requirement: string
  /** The error codes of which one must come; none: there must be no response. */
  codes: readonly number[]
  /** What is sent, byte for byte. */
  text: string
  /** HTTP headers that replace those of the message. */
  headers?: readonly (readonly [string, string])[]
  /** The capability without which a server has no such method. */
  needs: string
}

const version = 'io.modelcontextprotocol/protocolVersion'
const abilities = 'io.modelcontextprotocol/clientCapabilities'

/** `id requirement revisions codes needs`, and the message as changes of a valid request, or its text. */
type Row = readonly [string, (revision: Revision) => Params | string, Headers?]
type Headers = readonly (readonly [string, string])[]

const never = 'malformed-set-unknown'
const meta = (more: Params) => (revision: Revision) => ({
  params: { _meta: { ...envelope(revision), ...more } },
})
const all = (more: Params) => () => more
const exact = (text: string) => () => text
const asks = (method: string, params: Params) => (revision: Revision) => ({
  method,
  params: { ...params, ...(isModern(revision) && { _meta: envelope(revision) }) },
})

const rows: readonly Row[] = [
  // JSON
  ['truncated R-247 CDE -32700', exact('{"jsonrpc":"2.0","id":1,"method":"pi')],
  ['trailingComma R-247 CDE -32700', exact('{"jsonrpc":"2.0","id":1,"method":"ping",}')],
  ['singleQuotes R-247 CDE -32700', exact("{'jsonrpc':'2.0','id':1,'method':'ping'}")],
  ['control R-247 CDE -32700', exact('{"jsonrpc":"2.0","id":"\u0001","method":"ping"}')],
  ['twoValues R-247 CDE -32700', exact('{"jsonrpc":"2.0","id":1,"method":"ping"} {}')],
  // JSON-RPC
  ['string R-248 CDE -32600', exact('"ping"')],
  ['null R-248 CDE -32600', exact('null')],
  ['emptyObject R-248 CDE -32600', exact('{}')],
  ['emptyArray R-012 CDE -32600', exact('[]')],
  ['batch R-012 CDE -32600', exact('[{"jsonrpc":"2.0","id":1,"method":"ping"}]')],
  ['noJsonrpc R-001 CDE -32600', all({ jsonrpc: undefined })],
  ['oldJsonrpc R-001 CDE -32600', all({ jsonrpc: '1.0' })],
  ['idObject R-002 CDE -32600', all({ id: { not: 'an id' } })],
  ['idArray R-002 CDE -32600', all({ id: [1] })],
  ['idNull R-002 CDE -32600', all({ id: null })],
  ['idBoolean R-002 CDE -32600', all({ id: true })],
  ['noMethod R-248 CDE -32600', all({ method: undefined })],
  ['methodNumber R-248 CDE -32600', all({ method: 7 })],
  // Methods and their parameters
  ['unknownMethod R-014 CDE -32601', (revision) => asks(never, {})(revision)],
  ['methodCase R-014 CDE -32601', (revision) => asks('Ping', {})(revision)],
  ['paramsString R-015 CDE -32602,-32600', all({ params: 'text' })],
  ['paramsArray R-015 CDE -32602,-32600', all({ params: [1] })],
  ['readNothing R-122 CD -32602 resources', asks('resources/read', {})],
  ['readNothing R-122 E -32602,-32020 resources', asks('resources/read', {})],
  ['uriNumber R-122 CD -32602 resources', asks('resources/read', { uri: 7 })],
  ['uriNumber R-122 E -32602,-32020 resources', asks('resources/read', { uri: 7 })],
  ['cursor R-216 CDE -32602 resources', asks('resources/list', { cursor: never })],
  ['promptName R-204 CDE -32602 prompts', asks('prompts/get', { name: never })],
  ['noInitialize R-021 CD -32602,-32600', all({ method: 'initialize', params: {} })],
  ['logLevel R-100 CD -32602 logging', asks('logging/setLevel', { level: 'loud' })],
  ['removedMethod R-053 E -32601', asks('resources/subscribe', { uri: never })],
  // The envelope
  ['unknownVersion R-037 E -32022', meta({ [version]: '2099-01-01' })],
  ['noCapabilities R-035 E -32602', meta({ [abilities]: undefined })],
  ['capabilitiesNumber R-035 E -32602', meta({ [abilities]: 5 })],
  // What must not be answered
  ['unknownNotification R-009 CDE -', exact(`{"jsonrpc":"2.0","method":"notifications/${never}"}`)],
  [
    'cancelsNothing R-069 CDE -',
    exact('{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":{}}}'),
  ],
  ['strayResult R-343 CDE -', exact('{"jsonrpc":"2.0","id":"stray","result":{}}')],
]

/** Headers that contradict the message, and are sent over HTTP only. */
const overHttp: readonly Row[] = [
  ['methodHeader R-300 E -32020', all({}), [['Mcp-Method', 'ping']]],
  ['versionHeader R-295 E -32020', all({}), [['MCP-Protocol-Version', '2025-11-25']]],
  [
    'nameHeader R-301 E -32020 resources',
    asks('resources/read', { uri: 'a://b' }),
    [['Mcp-Name', 'a://c']],
  ],
]

/** The set for a revision and a kind of connection. */
export function malformedSet(revision: Revision, kind: Dialer['kind']): Malformed[] {
  return [...rows, ...(kind === 'http' ? overHttp : [])].flatMap(([line, make, headers]) => {
    const [id = '', requirement = '', letters = '', codes = '', needs = ''] = line.split(' ')
    if (!letters.includes(letterOf(revision))) return []
    const made = make(revision)
    return {
      id,
      requirement,
      codes: codes === '-' ? [] : codes.split(',').map(Number),
      text: typeof made === 'string' ? made : JSON.stringify({ ...valid(revision, id), ...made }),
      needs,
      ...(headers && { headers }),
    }
  })
}

/** A request that every server answers. Its id tells which message of the set it was. */
const valid = (revision: Revision, id: string): Params => ({
  jsonrpc: '2.0',
  id,
  ...(isModern(revision)
    ? { method: 'server/discover', params: { _meta: envelope(revision) } }
    : { method: 'ping' }),
})
