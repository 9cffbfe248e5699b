/**
 * Prompts and tools of a transcript's world: what each does when it is asked, as
 * wasm/enginetest/world_calls.go tells.
 */

import type { HandlerCall, HandlerOutcome, SendUpdate } from '../../src/answer-call.ts'
import type { InputRequest } from '../../src/callee.ts'
import { answerCall, type Callee, type CallRequest, type LogLevel } from '../../src/callee.ts'
import type { Descriptions } from '../../src/registry.ts'
import type { Json } from '../../src/source.ts'
import { later } from './clock.ts'

/** A prompt or tool: a description, and what it does. */
export interface Deed {
  text?: string
  result?: Json
  complete?: Record<string, string[]>
  delay?: string
  every?: string
  progress?: { progress: number; total?: number; message?: string }[]
  log?: { level: LogLevel; data: Json; logger?: string }[]
  needs?: Record<string, InputRequest>[]
  panic?: boolean
  /** It runs as a task. */
  task?: 'optional' | 'required'
  [description: string]: unknown
}

/** What the engine is told of it. */
export function descriptionOf(kind: 'prompts' | 'tools', name: string, deed: Deed): Descriptions {
  const { text, result, complete, delay, every, progress, log, needs, panic, ...own } = deed
  const { task, ...rest } = own
  if (kind === 'tools') {
    const mode = task && { mode: task }
    const tool = { inputSchema: { type: 'object' }, ...rest, task: mode, name }
    return { tools: [tool] }
  }
  return { prompts: [{ ...rest, name, completes: complete && Object.keys(complete) }] }
}

/** Answers the engine's question about a deed. */
export async function perform(
  deed: Deed,
  what: number,
  asked: HandlerCall,
  say: SendUpdate,
  signal: AbortSignal,
): Promise<HandlerOutcome> {
  if (deed.panic) throw new Error('it is broken')
  let raw: Json | undefined
  const act = async (args: object, request: CallRequest) => {
    const answer = await work(deed, args, request)
    raw = answer.raw
    return answer.text
  }
  const callee: Callee = {
    getPrompt: (_, args, request) => act(args, request),
    callTool: (_, args, request) => act(args, request),
    complete: async (_, argument, context) => ({
      values: suggested(deed.complete, argument, context.arguments),
    }),
  }
  const told = await answerCall(callee, false, what, asked, say, signal, () => {})
  // A scripted result goes to the engine as it is, however odd.
  return raw === undefined ? told : { ...told, text: JSON.stringify(raw) }
}

async function work(deed: Deed, args: object, request: CallRequest) {
  const answers: Record<string, unknown> = {}
  for (const needs of deed.needs ?? []) Object.assign(answers, await request.ask(needs))
  const { progress = [], log = [] } = deed
  for (let n = 0; n < Math.max(progress.length, log.length); n++) {
    if (deed.every) await later(deed.every, request.signal)
    const step = progress[n]
    if (step) request.progress(step.progress, step.total, step.message)
    const message = log[n]
    if (message) request.log(message.level, message.data, message.logger)
  }
  if (deed.delay) await later(deed.delay, request.signal)
  const write = (value: unknown) => (value === undefined ? '' : JSON.stringify(value))
  const ifAny = (object: object) => (Object.keys(object).length > 0 ? object : undefined)
  const fill = (text: string) => {
    let filled = text
    for (const [name, value] of Object.entries(args)) {
      filled = filled.replaceAll(`{${name}}`, typeof value === 'string' ? value : write(value))
    }
    return filled
      .replaceAll('{answers}', () => write(ifAny(answers)))
      .replaceAll('{meta}', () => write(ifAny(request.meta)))
      .replaceAll('{who}', () => request.client.principal)
  }
  return {
    text: fill(deed.text ?? ''),
    raw: deed.result === undefined ? undefined : filled(deed.result, fill),
  }
}

/** A JSON value with fill done to its strings. */
function filled(value: Json, fill: (text: string) => string): Json {
  if (typeof value === 'string') return fill(value)
  if (Array.isArray(value)) return value.map((item) => filled(item, fill))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, own]) => [name, filled(own, fill)]))
}

/** The values that begin as asked; a value "a/b" is for those who have chosen a. */
export function suggested(
  values: Record<string, string[]> = {},
  argument: { name: string; value: string },
  chosen: Record<string, string>,
): string[] {
  return (values[argument.name] ?? [])
    .flatMap((value) => {
      const [of = '', ...rest] = value.split('/')
      if (rest.length === 0) return value
      return Object.values(chosen).includes(of) ? rest.join('/') : []
    })
    .filter((value) => value.startsWith(argument.value))
}
