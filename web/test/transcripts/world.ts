/** Plays a transcript against engine.wasm and its shim, on channels of either kind. */

import assert from 'node:assert/strict'
import type { Client } from '../../src/clients.ts'
import { contents, provided, readRequest } from '../../src/contents.ts'
import { type Engine, type EngineOptions, startEngine } from '../../src/engine.ts'
import { isGoodbye } from '../../src/link.ts'
import { type Descriptions, registry, type SkillEntry, wireCacheHints } from '../../src/registry.ts'
import { type Contents, NotFoundError, type Resource, type Template } from '../../src/source.ts'
import { questions, reasons } from '../../src/wasm-numbers.ts'
import { engineModule, goRuntime } from '../core/load.ts'
import { type Recording, record } from '../harness/record.ts'
import { type Deed, descriptionOf, perform } from './calls.ts'
import { later, milliseconds, pass, settle } from './clock.ts'
import type { Thing, Transcript } from './transcript.ts'

/** `text`: as of a WebSocket. `port`: as of a MessagePort that hands objects over. */
export type Channel = 'text' | 'port'

interface Speaker {
  client: Client
  recording: Recording
  said: unknown[]
}

export async function play(transcript: Transcript, channel: Channel): Promise<void> {
  const things = new Map<string, Thing>()
  const firsts = new Map<string, number>() // URI to the number it is registered under
  const refs = new Map<number, { thing: () => Thing | undefined; template: boolean }>()
  const deeds = new Map<number, Deed>()
  const speakers = new Map<string, Speaker>()
  const memory = new Map<string, string>() // "$name", and versions, to what they stood for
  let last = 0

  const engine: Engine = await startEngine(
    {
      name: 'transcript',
      version: '1.0.0',
      ...transcript.info,
      ...optionsOf(transcript),
    },
    {
      module: await engineModule(),
      Go: await goRuntime(),
      async provide(ref, uri, variables, call) {
        const request = readRequest(uri, variables, call)
        const { thing, template } = refs.get(ref) ?? {}
        const found = thing?.()
        if (found === undefined) return undefined
        if (found.panic) throw new Error('the provider is broken')
        if (found.delay) await later(found.delay, request.signal)
        if (template) return provided(fill(found.text ?? '', request.variables ?? {}))
        if (found.contents) {
          return provided(contents(found.contents.map((part) => asContents(part))))
        }
        return provided(found.blob === undefined ? (thing?.()?.text ?? '') : bytes(found.blob))
      },
      async call(_, what, text, say, signal) {
        const asked = JSON.parse(text)
        if (what === questions.prepare) return { reason: reasons.none, text: '{}' }
        return perform(deeds.get(asked.ref) ?? {}, what, asked, say, signal)
      },
      read: () => {},
      report: () => {},
    },
  )

  const all = registry({ apply: (change) => engine.apply(change), publish() {} })
  const register = (name: string, added: Descriptions) => {
    last = all.add(added, [{}], false)
    firsts.set(name, last)
  }
  const publish = (uri: string, thing: Thing, template: boolean) => {
    things.set(uri, thing)
    refs.set(last + 1, { thing: () => things.get(uri), template })
    const { text, blob, contents, delay, panic, complete, cache, ...rest } = thing
    const cacheHints = wireCacheHints(cache)
    if (!template) {
      register(uri, { resources: [{ ...rest, uri, cacheHints } as Resource] })
      return
    }
    deeds.set(last + 1, { complete })
    const completes = complete && Object.keys(complete)
    const description = { ...rest, uriTemplate: uri, cacheHints, completes } as Template
    register(uri, { templates: [description] })
  }
  const offer = (kind: 'prompts' | 'tools', name: string, deed: Deed) => {
    deeds.set(last + 1, deed)
    register(`${kind} ${name}`, descriptionOf(kind, name, deed))
  }
  const offerSkill = (uri: string, entry: Omit<SkillEntry, 'uri'>) =>
    register(`skills ${uri}`, { skills: [{ uri, ...entry }] })
  const withdraw = (name: string) => all.remove(firsts.get(name) as number)
  for (const [uri, thing] of Object.entries(transcript.resources)) publish(uri, thing, false)
  for (const [uri, thing] of Object.entries(transcript.templates)) publish(uri, thing, true)
  for (const kind of ['prompts', 'tools'] as const) {
    for (const [name, deed] of Object.entries(transcript[kind])) offer(kind, name, deed)
  }

  for (const [uri, entry] of Object.entries(transcript.skills)) offerSkill(uri, entry)

  if (Object.keys(transcript.later).length > 0) {
    const list = async () => ({ resources: [] })
    const fails = async () => {
      throw new Error('the code did not load')
    }
    engine.mount(1, '', 0, { list, read: fails })
    engine.mount(2, '', 0, {
      list,
      async read(uri) {
        const text = transcript.later[uri]
        if (text === undefined) throw new NotFoundError(uri)
        return [{ uri, text }]
      },
    })
  }

  const speaker = (name: string): Speaker => {
    const known = speakers.get(name)
    if (known) return known
    const said: unknown[] = []
    const recording = record(`${transcript.name}, ${channel} ${name}`)
    const hear = (text: string) => {
      recording.server(text)
      said.push(JSON.parse(text))
    }
    const client =
      channel === 'text'
        ? engine.clients.openText(
            {
              send: hear,
              lost: () => said.push('lost'),
            },
            'test',
          )
        : engine.clients.openPort(
            {
              // As structured clone would: what is not JSON must not have got this far.
              postMessage: (message) => {
                if (!isGoodbye(message)) hear(JSON.stringify(message))
              },
              onmessage: null,
            },
            'test',
          )
    const fresh = { client, recording, said }
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
      withdraw(uri)
    },
    addPrompt: (name, value) => offer('prompts', name, JSON.parse(value)),
    addTool: (name, value) => offer('tools', name, JSON.parse(value)),
    addSkill: (uri, value) => offerSkill(uri, JSON.parse(value)),
    removeSkill: (uri) => withdraw(`skills ${uri}`),
    removePrompt: (name) => withdraw(`prompts ${name}`),
    removeTool: (name) => withdraw(`tools ${name}`),
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
        const { client, recording } = speaker(line.client)
        recording.client(text)
        client.receive(channel === 'text' ? text : JSON.parse(text))
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
 * Compares JSON values. `"$name"` stands for any string, always the same one.
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
      Object.entries(wanted).map(([name, value]) => [name, replace(value, members[name])]),
    )
  }
  assert.deepEqual(got, replace(want, got))
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

/** The engine's options, as the transcript has those of Go's `engine.Options`. */
function optionsOf({ options }: Transcript): Pick<EngineOptions, 'pageSize'> {
  const { pageSize = 200, cache, ...rest } = options
  const { TTL = 0, Public = false } = (cache ?? {}) as { TTL?: number; Public?: boolean }
  const cacheHints = { ttlMs: TTL / 1e6, cacheScope: Public ? 'public' : 'private' } // from ns
  return {
    ...rest,
    pageSize: Number(pageSize),
    ...(cache !== undefined && { cacheHints }),
  }
}

function asContents({ blob, ...part }: NonNullable<Thing['contents']>[number]): Contents {
  return { ...part, ...(blob !== undefined && { blob: bytes(blob) }) }
}
