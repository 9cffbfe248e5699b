/**
 * The hostile messages of testdata/envelopes.json, whose "about" describes them, against engine.wasm as a page has it: on
 * a text channel, and on a port if the message can be an object. wasm/engine and the gateway play the same file.
 */

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, before, test } from 'node:test'
import type { Client } from '../../src/clients.ts'
import { type Engine, startEngine } from '../../src/engine.ts'
import { reasons } from '../../src/wasm-numbers.ts'
import { engineModule, goRuntime, options } from '../core/load.ts'
import { envelope as meta, until } from '../harness/client.ts'

type Sent =
  | string
  | { base64: string }
  | { before: string; repeat: string; times: number; after: string }
interface Envelope {
  class: string
  name: string
  session?: string
  send: Sent[]
  want?: { id?: string; code?: number; method?: string; any?: boolean }[]
}

const { envelopes } = JSON.parse(
  readFileSync(new URL('../../../testdata/envelopes.json', import.meta.url), 'utf8'),
) as { envelopes: Envelope[] }

let engine: Engine
before(async () => {
  const tools: Record<string, (signal: AbortSignal) => Promise<string>> = {
    works: async () => '{"content":[]}',
    hangs: (signal) =>
      new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
    panics: () => Promise.reject(new Error('it is broken')),
    nonsense: async () => '{"content":[{"type":7}',
  }
  const names = Object.keys(tools)
  engine = await startEngine(
    { ...options, tools: true, prompts: true, completions: true, logging: true },
    {
      module: await engineModule(),
      Go: await goRuntime(),
      provide: (_, uri) =>
        uri === 'notes://panics'
          ? Promise.reject(new Error('it is broken'))
          : { value: '2 apples' },
      async call(_, __, text, ___, signal) {
        const tool = tools[names[JSON.parse(text).ref - 1] as string]
        return { reason: reasons.none, text: (await tool?.(signal)) ?? '' }
      },
      read() {},
      report() {},
    },
  )
  for (const [i, name] of names.entries()) {
    const object = { name, inputSchema: { type: 'object' } }
    engine.apply({ register: [{ first: i + 1, text: JSON.stringify({ tools: [object] }) }] })
  }
  for (const [i, name] of ['cart', 'panics'].entries()) {
    const text = JSON.stringify({ resources: [{ uri: `notes://${name}`, name }] })
    engine.apply({ register: [{ first: 10 + i, text }] })
  }
})
after(() => engine.close())

const textOf = (sent: Sent) => {
  if (typeof sent === 'string') return sent
  return 'base64' in sent ? undefined : sent.before + sent.repeat.repeat(sent.times) + sent.after
}
/** Whether an object has all that the text has. */
const isObject = (text: string) => {
  try {
    return JSON.stringify(JSON.parse(text)) === text
  } catch {
    return false
  }
}

async function play({ session, send, want = [] }: Envelope, isText: boolean): Promise<void> {
  const got: string[] = []
  const hear = (text: string) => void got.push(text)
  const client: Client = isText
    ? engine.clients.openText({ send: hear, lost: () => hear('lost') }, 'test')
    : engine.clients.openPort(
        { postMessage: (message) => hear(JSON.stringify(message)), onmessage: null },
        'test',
      )
  const receive = (text: string) => client.receive(isText ? text : JSON.parse(text))
  const answered = async (id: string, method: string, params: object) => {
    const from = got.length
    receive(JSON.stringify({ jsonrpc: '2.0', id, method, params }))
    await until(() => got.length > from && got.some((one) => one.includes(`"${id}"`)), method)
    const at = got.findIndex((one) => one.includes(`"${id}"`))
    assert.match(got.splice(at, 1)[0] ?? '', /"result"/)
  }
  if (session)
    await answered('session', 'initialize', { protocolVersion: session, capabilities: {} })
  for (const sent of send) receive(textOf(sent) ?? '')
  await until(() => got.length >= want.length, `${want.length} answers`)
  await answered('alive', 'resources/read', { uri: 'notes://cart', _meta: meta })
  const found = got.map((text, i) => {
    const { id, error, method } = JSON.parse(text)
    if (want[i]?.any) return want[i]
    const written =
      id === undefined ? undefined : (/"id":("(?:[^"\\]|\\.)*"|[^,}]+)/.exec(text)?.[1] ?? '')
    return {
      ...(written !== undefined && { id: written }),
      ...(error && { code: error.code }),
      ...(method && { method }),
    }
  })
  assert.deepEqual(found, want)
  client.close()
}

/** What a page answers in another way: its limit is 64 KiB higher, and objects have no lone surrogates and no bad JSON. */
const others = ['a message of 1 MiB and a byte']
const othersOnPorts = ['the id is a lone surrogate', 'the message is a string', 'nested 129 levels']

for (const envelope of envelopes) {
  const { name } = envelope
  const texts = envelope.send.map(textOf)
  if (others.includes(name) || texts.some((text) => text === undefined)) continue // bytes that are no text
  test(`${envelope.class}: ${name}, on a text channel`, () => play(envelope, true))
  if (!othersOnPorts.includes(name) && texts.every((text) => isObject(text ?? ''))) {
    test(`${envelope.class}: ${name}, on a port`, () => play(envelope, false))
  }
}

test('size: a message above the limit of a page, on a text channel', () => {
  const before = '{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":"'
  const send = [{ before, repeat: 'x', times: (1 << 20) + (64 << 10), after: '"}}' }]
  return play({ class: 'size', name: '', send, want: [{ code: -32600 }] }, true)
})
