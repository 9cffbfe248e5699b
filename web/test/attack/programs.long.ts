/**
 * Commands and texts that the playground makes of a message ("Copy as"): whatever is in the message, they do no
 * more than send it. Each is run or parsed by its own language, and what it sends has to equal the message.
 */

import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { Connection } from '../../playground/connections/connection.ts'
import { http } from '../../playground/connections/http.ts'
import { type Peer, Session } from '../../playground/connections/session.ts'
import { Store } from '../../playground/messages/store.ts'
import { type CopyKind, copyAs } from '../../playground/share/copy-as.ts'
import { redact } from '../../playground/share/redact.ts'
import { mermaid } from '../../playground/timeline/mermaid.ts'
import { random } from '../idb/random.ts'

type Json = null | boolean | number | string | Json[] | { [name: string]: Json }

/** What ends a literal, a comment, a line or a command somewhere, or runs in what follows it. */
const payloads = [
  '\u2028globalThis.pwned = 1//',
  '\u2029pwned = 1//',
  '\u0085pwned = 1//',
  '\npwned = 1//',
  '\rpwned = 1//',
  '\r\npwned = 1//',
  '`+(pwned = 1)+`',
  // biome-ignore lint/suspicious/noTemplateCurlyInString: for literals that are templates
  '${pwned = 1}',
  "'+(pwned = 1)+'",
  '"+(pwned = 1)+"',
  '\\',
  '\\"',
  '*/pwned = 1/*',
  '<!--',
  '-->',
  ')\npwned = 1\n(',
  '$(touch pwned)',
  '`touch pwned`',
  "'; touch pwned; '",
  '"; touch pwned; "',
  '\n touch pwned\n',
  '\u001b[201~\ntouch pwned\n',
  '\u0003touch pwned\n',
  '\u0000',
  '!!',
  '%s%n',
  '@/etc/passwd',
  '--config=/etc/passwd',
  '[1-9]{a,b}',
  '"\nos.Exit(1)//',
  '\u202e\u2066',
  '\ufeff',
  '\ud800',
  '\udc00x',
  '\u{e0069}',
  '😀é漢',
  '\\u2028',
  '%%{init: {"theme": "dark"}}%%',
]

const names = ['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'uri', 'name', 'a b', '']

const methods = [
  'initialize',
  'ping',
  'logging/setLevel',
  'subscriptions/listen',
  'resources/list',
  'resources/templates/list',
  'resources/read',
  'resources/subscribe',
  'resources/unsubscribe',
  'prompts/list',
  'prompts/get',
  'tools/list',
  'tools/call',
  'completion/complete',
  'server/discover',
  'notifications/initialized',
  '__proto__',
  'constructor',
  'toString',
  'valueOf',
]

interface Case {
  raw: string
  url?: string
}

/** Random messages, the same for each seed. */
function messages(seed: number, count: number): Case[] {
  const next = random(seed)
  const one = <T>(all: readonly T[]) => all[next(all.length)] as T
  const text = () =>
    Array.from({ length: next(3) }, () => one(['x', ...payloads])).join('') + one(payloads)
  const value = (depth: number): Json => {
    switch (next(depth > 3 ? 5 : 8)) {
      case 0:
        return one([0, 1.5, -7, 1e21, 1e-7, 2 ** 53, true, false, null])
      case 5:
        return Array.from({ length: next(3) }, () => value(depth + 1))
      case 6:
      case 7:
        return object(depth + 1)
      default:
        return text()
    }
  }
  const object = (depth: number): { [name: string]: Json } => {
    const made: { [name: string]: Json } = {}
    for (let i = next(4); i > 0; i--) {
      const name = next(2) ? one(names) : text()
      Object.defineProperty(made, name, {
        value: value(depth),
        enumerable: true,
        configurable: true,
        writable: true,
      })
    }
    return made
  }
  return Array.from({ length: count }, () => {
    const params: Json = next(10) ? object(0) : one([null, 7, 'text', [1, text()]])
    if (typeof params === 'object' && params !== null && !Array.isArray(params)) {
      if (next(2)) params.uri = `a:${text()}`
      if (next(2)) params.name = text()
      if (next(2)) {
        params._meta = {
          'io.modelcontextprotocol/protocolVersion': one(['2026-07-28', '2025-11-25', text()]),
          ...(next(2) && { [text()]: text() }),
        }
      }
    }
    const method = next(3) ? one(methods) : next(2) ? text() : one(methods) + text()
    const message = { jsonrpc: '2.0', id: next(2) ? 1 : text(), method, params }
    const url = next(2) ? undefined : `https://app.example/${text()}?x=${text()}#${text()}`
    return {
      raw: next(2) ? JSON.stringify(message) : JSON.stringify(message, null, next(2) ? 2 : '\t'),
      url,
    }
  })
}

function program(kind: CopyKind, { raw, url }: Case): string {
  const store = new Store(() => {})
  store.push({ connection: 1, direction: 'out', framing: 'http', raw })
  const dialer = { ...http('https://app.example/'), url: url ?? '' }
  const session = new Session(new Connection(dialer, 'A', new Store(() => {})), '2026-07-28')
  session.peer.value = { name: `evil${raw}`, version: '1', capabilities: {} } as unknown as Peer
  return copyAs(kind, store, 0, url ? session : undefined)
}

const gateway = 'http://127.0.0.1:8808/mcp'

const sameUrl = (got: string, wanted: string) =>
  assert.equal(new URL(got).href, new URL(wanted).href)

/** Nothing that is not seen as what it is, or that a terminal or an editor takes for an end of a line. */
const unseen = /[^\P{C}\n\t]|\p{Zl}|\p{Zp}/u

const seeds = [1, 2, 3, 4, 5]

const directory = mkdtempSync(join(tmpdir(), 'pagemcp-programs-'))
after(() => rmSync(directory, { recursive: true }))

test('curl that is copied sends the message in any shell, and does nothing else', () => {
  const home = join(directory, 'home')
  const work = join(directory, 'work')
  mkdirSync(join(home, '.local/state/pagemcp'), { recursive: true })
  mkdirSync(work)
  writeFileSync(join(home, '.local/state/pagemcp/token'), 'T')
  const broken = payloads.flatMap((payload) => [
    { raw: payload },
    { raw: `{"method":"${payload}"`, url: 'https://app.example/' },
    { raw: `%b\\0101${payload}'${payload}` },
  ])
  const all: Case[] = [...broken, ...seeds.flatMap((seed) => messages(seed, 60))]
  // Each argument, and what comes by a pipe, ended by NUL; what curl is given is all that a command may give.
  const curl = `curl() { for a in "$@"; do printf '%s\\0' "$a"; done; for last; do :; done; [ "$last" = @- ] && cat; printf '\\0'; }\n`
  for (const one of all) {
    const command = program('curl', one)
    assert.doesNotMatch(command, unseen)
    for (const shell of ['bash', 'sh']) {
      const words = execFileSync(shell, ['-c', curl + command], {
        cwd: work,
        env: { HOME: home, SESSION: 'S', PATH: process.env.PATH },
        encoding: 'utf8',
      }).split('\0')
      const text = redact(one.raw)
      const [options, url, ...rest] = words
      assert.equal(options, '-sgN')
      sameUrl(url as string, one.url ?? gateway)
      const headers: string[] = []
      while (rest[0] === '-H') headers.push(...rest.splice(0, 2).slice(1))
      for (const header of headers) assert.match(header, /^[\w-]+: [\x20-\x7e]*$/)
      const [option, body, piped] = rest
      if (option === '--data-raw') assert.deepEqual(parsed(body as string), parsed(text), command)
      else {
        assert.deepEqual([option, body], ['--data-binary', '@-'])
        assert.equal(piped, text.toWellFormed().replaceAll('\0', ''))
      }
    }
    assert.deepEqual(readdirSync(work), [], command)
  }
})

test('settings, issues and diagrams that are copied hold the message as data', () => {
  for (const one of seeds.flatMap((seed) => messages(seed, 100))) {
    const settings = program('mcp.json', one)
    assert.doesNotMatch(settings, unseen)
    assert.deepEqual(Object.keys(JSON.parse(settings)), ['mcpServers'])
    const issue = program('markdown', one)
    assert.doesNotMatch(issue, unseen)
    const [, fenced = ''] = /^(`{3,})json\n([\s\S]*?)\n\1$/m.exec(issue)?.slice(1) ?? []
    assert.deepEqual(JSON.parse(fenced), JSON.parse(redact(one.raw)))
    const store = new Store(() => {})
    store.push({ connection: 1, direction: 'out', framing: 'http', raw: one.raw })
    const diagram = mermaid(store, [0], () => ({ letter: 'A', title: one.raw }))
    assert.doesNotMatch(diagram, unseen)
    assert.equal(diagram.split('\n').length, 5, diagram) // connections, a message, and the end
    assert.doesNotMatch(diagram, /[%<]/)
  }
})

/** What is no JSON has to stay as it is. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return { text }
  }
}
