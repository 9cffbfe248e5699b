/** Plays a transcript against engine.wasm and its shim, on channels of either kind. */

import assert from 'node:assert/strict'
import type { Client } from '../../src/clients.ts'
import { metaVersion, provided } from '../../src/contents.ts'
import { type Engine, startEngine } from '../../src/engine.ts'
import { isGoodbye } from '../../src/port.ts'
import type { Resource, Template } from '../../src/source.ts'
import { engineModule, goRuntime } from '../core/load.ts'
import { pass, settle } from './clock.ts'
import type { Thing, Transcript } from './transcript.ts'

/** `text`: as of a WebSocket. `port`: as of a MessagePort that hands objects over. */
export type Channel = 'text' | 'port'

interface Speaker {
  client: Client
  said: unknown[]
}

export async function play(transcript: Transcript, channel: Channel): Promise<void> {
  const things = new Map<string, Thing>()
  const firsts = new Map<string, number>() // URI to the number it is registered under
  const refs = new Map<number, { thing: () => Thing | undefined; template: boolean }>()
  const speakers = new Map<string, Speaker>()
  const memory = new Map<string, string>() // "$name", and versions, to what they stood for
  let last = 0

  const engine: Engine = await startEngine(
    {
      name: 'transcript',
      version: '1.0.0',
      ...transcript.info,
      pageSize: Number(transcript.options.pageSize ?? 200),
      cursorKey: btoa('0123456789abcdef'),
    },
    {
      module: await engineModule(),
      Go: await goRuntime(),
      async provide(ref, { variables, signal }) {
        const { thing, template } = refs.get(ref) ?? {}
        const found = thing?.()
        if (found === undefined) return undefined
        if (found.panic) throw new Error('the provider is broken')
        if (found.delay) await later(found.delay, signal)
        if (template) return provided(fill(found.text ?? '', variables ?? {}))
        return provided(found.blob === undefined ? (thing?.()?.text ?? '') : bytes(found.blob))
      },
      state: () => {},
      read: () => {},
      report: () => {},
    },
  )

  const publish = (uri: string, thing: Thing, template: boolean) => {
    const first = ++last
    things.set(uri, thing)
    firsts.set(uri, first)
    refs.set(first, { thing: () => things.get(uri), template })
    const { text, blob, delay, panic, ...description } = thing
    if (template) {
      engine.register(first, [], [{ ...description, uriTemplate: uri } as Template])
    } else {
      engine.register(first, [{ ...description, uri } as Resource], [])
    }
  }
  for (const [uri, thing] of Object.entries(transcript.resources)) publish(uri, thing, false)
  for (const [uri, thing] of Object.entries(transcript.templates)) publish(uri, thing, true)

  const speaker = (name: string): Speaker => {
    const known = speakers.get(name)
    if (known) return known
    const said: unknown[] = []
    const client =
      channel === 'text'
        ? engine.clients.openText(
            {
              send: (text) => said.push(JSON.parse(text)),
              lost: () => said.push('lost'),
            },
            'test',
          )
        : engine.clients.openPort(
            {
              // As structured clone would: what is not JSON must not have got this far.
              postMessage: (message) => {
                if (!isGoodbye(message)) said.push(JSON.parse(JSON.stringify(message)))
              },
              onmessage: null,
            },
            'test',
          )
    const fresh = { client, said }
    speakers.set(name, fresh)
    return fresh
  }

  const silence = (before: string) => {
    for (const [name, { said }] of speakers) {
      assert.deepEqual(said, [], `${name || 'the engine'} said this before ${before}`)
    }
  }

  const events: Record<string, (subject: string, value: string) => unknown> = {
    write(uri, value) {
      things.set(uri, { ...(things.get(uri) as Thing), text: JSON.parse(value) })
      engine.changed(0, uri)
    },
    touch: (uri) => engine.changed(0, uri),
    add: (uri, value) => publish(uri, JSON.parse(value), false),
    remove(uri) {
      things.delete(uri)
      engine.unregister(firsts.get(uri) as number)
    },
    wait: (duration) => pass(milliseconds(duration)),
    close(name) {
      speakers.get(name)?.client.close()
      speakers.delete(name)
    },
    shutdown: () => engine.close(),
  }

  try {
    for (const line of transcript.lines) {
      if (line.what === 'expect') {
        const { said } = speaker(line.client)
        assert.ok(said.length > 0, `silence instead of ${line.text}`)
        matches(JSON.parse(line.text), said.shift(), memory)
        continue
      }
      silence(JSON.stringify(line))
      if (line.what === 'send') {
        let { text } = line
        for (const [name, value] of memory) {
          text = text.replaceAll(`"${name}"`, JSON.stringify(value))
        }
        speaker(line.client).client.receive(channel === 'text' ? text : JSON.parse(text))
      } else {
        const event = events[line.verb]
        assert.ok(event, `there is an event ${line.verb}`)
        await event(line.subject, line.value)
      }
      await settle()
    }
    silence('the end')
  } finally {
    engine.close()
  }
}

/**
 * Compares JSON values. `"$name"` stands for any string, always the same one; content versions stand
 * for one another: which they are is the engine's affair, but equal ones are of equal contents.
 */
function matches(want: unknown, got: unknown, memory: Map<string, string>): void {
  const stand = (name: string, value: unknown) => {
    assert.equal(typeof value, 'string', name)
    const known = memory.get(name) ?? (value as string)
    memory.set(name, known)
    return known
  }
  const replace = (wanted: unknown, found: unknown): unknown => {
    if (typeof wanted === 'string' && wanted.startsWith('$')) return stand(wanted, found)
    if (Array.isArray(wanted)) {
      return wanted.map((item, i) => replace(item, Array.isArray(found) ? found[i] : undefined))
    }
    if (typeof wanted !== 'object' || wanted === null) return wanted
    const members = (found ?? {}) as Record<string, unknown>
    return Object.fromEntries(
      Object.entries(wanted).map(([name, value]) => [
        name,
        name === metaVersion
          ? stand(`version ${value}`, members[name])
          : replace(value, members[name]),
      ]),
    )
  }
  assert.deepEqual(got, replace(want, got))
}

function milliseconds(duration: string): number {
  const [, count = '', unit = ''] = /^(\d+)(ms|s|h)$/.exec(duration) ?? []
  const factor = { ms: 1, s: 1000, h: 3_600_000 }[unit]
  if (factor === undefined) throw new Error(`no such duration: ${duration}`)
  return Number(count) * factor
}

function later(duration: string, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    setTimeout(resolve, milliseconds(duration))
    signal.addEventListener('abort', () => reject(signal.reason))
  })
}

function bytes(base64: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(base64), (c) => c.charCodeAt(0))
}

function fill(text: string, variables: Record<string, string | string[]>): string {
  let filled = text
  for (const [name, value] of Object.entries(variables)) {
    filled = filled.replaceAll(`{${name}}`, String(value))
  }
  return filled
}
