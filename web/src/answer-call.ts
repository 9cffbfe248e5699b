/**
 * Calls of prompts, tools and completions, in the thread of their handlers: makes the {@link CallRequest}
 * of a handler, and the result of its answer. The engine sends and receives JSON text, from its own thread
 * or from another one.
 *
 * A file of its own in the package, loaded by the first call.
 */

import {
  type Ask,
  type Checked,
  type Completion,
  type CompletionContext,
  type CompletionProvider,
  type CompletionRef,
  elicit,
  type FormSchema,
  fits,
  type InputRequest,
  isStandard,
  type LogLevel,
  logLevels,
  type OwnCallRequest,
  type RegisteredCallee,
  type StandardSchema,
} from './callee.ts'
import { jsonText } from './json.ts'
import type { Json } from './source.ts'
import {
  type Checker,
  callTool,
  checker,
  describedPrompt,
  describedTool,
  promptResult,
  runTool,
  ToolError,
} from './tool.ts'
import { questions, type Reason, reasonOf, reasons, updateKinds } from './wasm-numbers.ts'

/** The outcome of a call: JSON text, or a reason why there is none, for some reasons with details. */
export interface HandlerOutcome {
  reason: Reason
  text: string
}

/** Sends progress or a log message before the answer: a number of `updateKinds` in wasm.ts, and JSON text. */
export type SendUpdate = (what: number, text: string) => void

/** A call by the engine, as wasm/call_js.go writes it. */
export interface HandlerCall {
  /** The number of what was registered. */
  ref?: number
  name?: string
  prompt?: string
  uri?: string
  argument?: string
  value?: string
  arguments?: Record<string, unknown>
  /** All of this as JSON, if its arguments may have whole numbers that JavaScript rounds. */
  text?: string
  /** Of a completion: see CompletionContext. */
  client?: string
  request?: RequestContext
}
interface RequestContext {
  principal?: string
  capabilities?: Record<string, unknown>
  modern?: boolean
  meta?: Record<string, unknown>
  /** What the preparation of the tool has returned. */
  prepared?: Json
  /** The lowest level that the client wants; `''`: no messages. */
  logLevel?: LogLevel | ''
  /** The call is a task. */
  task?: boolean
}

/**
 * Answers a call by the engine.
 *
 * @param mounted - whether the callee is a source: then after `NotFoundError` the engine tries the next source
 * @param report - gets errors for the developer, which clients do not see
 */
export async function answerCall(
  callee: RegisteredCallee | undefined,
  mounted: boolean,
  what: number,
  question: HandlerCall,
  sendUpdate: SendUpdate,
  signal: AbortSignal,
  report: (error: unknown) => void,
): Promise<HandlerOutcome> {
  const request = () => callRequest(question.request, sendUpdate, signal)
  try {
    const answer = await answerOf(callee ?? {}, mounted, what, question, request, signal, report)
    return answer === undefined
      ? { reason: reasons.notFound, text: '' }
      : { reason: reasons.none, text: jsonText(answer) }
  } catch (error) {
    const reason = reasonOf(error)
    if (reason === reasons.invalidParams) return { reason, text: (error as Error).message }
    if (reason === reasons.notFound ? mounted : reason !== reasons.internal) {
      return { reason, text: '' }
    }
    if (!signal.aborted) report(error)
    return { reason: reasons.internal, text: '' }
  }
}

export { confirmation } from './tool.ts'

/** The answer for the engine; `undefined`: the callee has no such prompt, tool or completion. */
async function answerOf(
  callee: RegisteredCallee,
  mounted: boolean,
  what: number,
  question: HandlerCall,
  request: () => OwnCallRequest,
  signal: AbortSignal,
  report: (error: unknown) => void,
): Promise<object | undefined> {
  const { name = '', prompt, uri = '', argument = '', value = '' } = question
  const exact = question.text === undefined ? question : (parseExact(question.text) as HandlerCall)
  const args = exact.arguments ?? {}
  switch (what) {
    case questions.prompts:
      return { prompts: ((await callee.prompts?.()) ?? []).map(describedPrompt) }
    case questions.tools:
      return { tools: ((await callee.tools?.()) ?? []).map((tool) => describedTool(tool).json) }
    case questions.getPrompt: {
      const answer = await callee.getPrompt?.(name, args as Record<string, string>, request())
      return answer === undefined ? undefined : promptResult(answer)
    }
    case questions.callTool: {
      if (callee.tool === undefined && callee.callTool === undefined) return undefined
      // Registered tools decide by their schema.
      const run = async () =>
        callee.tool
          ? callTool(callee.tool, args, request())
          : callee.callTool?.(name, mounted ? unrounded(args) : args, request())
      return runTool(run, mounted, signal, report)
    }
    case questions.prepare: {
      let prepared: { value: unknown } | undefined
      const run = async () => {
        const own = { ...request(), prepares: true }
        prepared = { value: callee.tool && (await callTool(callee.tool, args, own)) }
      }
      const result = await runTool(run, mounted, signal, report)
      return prepared ? { prepared: prepared.value } : { result }
    }
    case questions.reply:
      return takeReply(question as unknown as Reply)
  }
  const ref: CompletionRef =
    prompt === undefined ? { type: 'ref/resource', uri } : { type: 'ref/prompt', name: prompt }
  const context = { arguments: args as Record<string, never>, signal, client: question.client }
  const { completions } = mounted ? {} : callee // a source may have a property of that name
  const answer = completions
    ? await completed(completions, argument, value, context)
    : await callee.complete?.(ref, { name: argument, value }, context)
  return answer === undefined ? undefined : bounded(answer)
}

/** @throws ToolError if JavaScript would round a whole number */
function unrounded(args: Record<string, unknown>): Record<string, unknown> {
  const exact = exactArguments(args, undefined)
  if (typeof exact === 'string') throw new ToolError(`The arguments are not valid. ${exact}`)
  return exact
}

function callRequest(
  context: RequestContext = {},
  sendUpdate: SendUpdate,
  signal: AbortSignal,
): OwnCallRequest {
  const { principal = '', capabilities = {}, modern = false } = context
  const { meta = {}, prepared, task = false, logLevel } = context
  let steps = 0
  const least = logLevel ? logLevels.indexOf(logLevel) : logLevels.length
  return {
    signal,
    client: { principal, capabilities, modern },
    meta,
    isTask: task,
    prepared,
    progress(progress: number | string, total?: number, message?: string) {
      steps++
      const step =
        typeof progress === 'string' ? { progress: steps, message: progress } : { progress }
      const whole = Number.isFinite(total) ? total : undefined
      sendUpdate(updateKinds.progress, jsonText({ message, ...step, total: whole }))
    },
    log(level, data, logger) {
      if (logLevels.indexOf(level) >= least)
        sendUpdate(updateKinds.log, jsonText({ level, logger, data }))
    },
    ask: asker(signal, sendUpdate),
    check: checkedArguments,
  }
}

// Questions of a handler to its client. The handler waits; the engine answers the client's request meanwhile, and takes the
// one that brings the answers for its continuation (wasm/engine/held.go).

/** What the engine has got from the client. */
export interface Reply {
  readonly id: number
  readonly answers?: Record<string, unknown>
  /** Why there are none. */
  readonly error?: string
}

/** The client cannot be asked: it gets the engine's error. */
class RefusedError extends Error {
  override readonly name = 'RefusedError'
}

/** How often a question is asked whose answers do not fit. */
const maxRounds = 16

const waiting = new Map<number, (reply: Reply) => void>()
let lastId = 0

/** Passes a reply to the handler that waits for it. */
export function takeReply(reply: Reply): object {
  waiting.get(reply.id)?.(reply)
  return {}
}

/** The function by which one call asks. */
export function asker(signal: AbortSignal, sendUpdate: (what: number, text: string) => void): Ask {
  let last: Promise<unknown> = Promise.resolve()

  const exchange = (value: object) =>
    new Promise<Record<string, unknown>>((resolve, reject) => {
      signal.throwIfAborted()
      const id = ++lastId
      const over = (act: () => void) => {
        waiting.delete(id)
        signal.removeEventListener('abort', ended)
        act()
      }
      const ended = () => over(() => reject(signal.reason))
      signal.addEventListener('abort', ended)
      waiting.set(id, ({ answers = {}, error }) =>
        over(() => (error === undefined ? resolve(answers) : reject(new RefusedError(error)))),
      )
      sendUpdate(updateKinds.input, jsonText({ id, value }))
    })

  /** Asks until each answer fits its request; `check` says more. */
  const askAll = async (
    requests: Record<string, InputRequest>,
    check: (answers: Record<string, unknown>) => unknown = (answers) => answers,
  ) => {
    const answers: Record<string, unknown> = {}
    for (let round = 0; round < maxRounds; round++) {
      const missing = Object.entries(requests).filter(([key, own]) => !fits(own, answers[key]))
      if (missing.length > 0) {
        const got = await exchange(Object.fromEntries(missing))
        for (const [key] of missing) answers[key] = got[key]
        continue
      }
      const value = await check(answers)
      if (value !== undefined) return value
      for (const key in answers) delete answers[key]
    }
    throw new ToolError('The answers of the user do not fit what was asked.')
  }

  const askForm = (message: string, schema: StandardSchema | FormSchema | undefined) => {
    const own = schema && isStandard(schema) ? checker('the question', schema, 'input') : undefined
    const form = (own?.json ??
      schema ?? { type: 'object', properties: {} }) as unknown as FormSchema
    const { type, properties, required } = form
    return askAll(
      { answer: elicit(message, { type, properties, ...(required && { required }) }) },
      async ({ answer }) => {
        const { action, content = {} } = answer as { action: string; content?: object }
        if (action !== 'accept') {
          throw new ToolError('The user declined. Do not try again unless they ask.')
        }
        const checked = own ? await own.check(content) : { value: content }
        return 'problems' in checked ? undefined : checked.value
      },
    )
  }

  const ask = (
    what: string | InputRequest | Record<string, InputRequest>,
    schema?: StandardSchema | FormSchema,
  ) => {
    const act = async () => {
      if (typeof what === 'string') return askForm(what, schema)
      if (typeof what.method !== 'string') return askAll(what as Record<string, InputRequest>)
      const { answer } = (await askAll({ answer: what as InputRequest })) as { answer: unknown }
      return answer
    }
    const answered = last.then(act)
    last = answered.catch(() => {})
    return answered
  }
  return ask as Ask
}

// Completion: values for an argument of a prompt, or a variable of a template, that fit the typed text.

/** The most values of one answer; MCP 2026-07-28, server/utilities/completion. */
const maxValues = 100

/** Completes an argument, or variable, of something that was registered. */
export function completed(
  providers: Record<string, CompletionProvider>,
  name: string,
  value: string,
  context: CompletionContext,
): readonly string[] | Completion | Promise<readonly string[] | Completion> {
  const provider = Object.hasOwn(providers, name) ? providers[name] : undefined
  if (typeof provider === 'function') return provider(value, context)
  return rankCompletions(provider ?? [], value)
}

/** An answer of at most 100 values, with `hasMore`. */
export function bounded(answer: readonly string[] | Completion): Completion {
  const whole: Completion = isList(answer) ? { values: answer, total: answer.length } : answer
  const values = whole.values.slice(0, maxValues).map(String)
  const left = whole.values.length > values.length
  const total = whole.total ?? (left ? whole.values.length : undefined)
  return { values, total, hasMore: left || (whole.hasMore ?? (total ?? 0) > values.length) }
}

function isList(answer: readonly string[] | Completion): answer is readonly string[] {
  return Array.isArray(answer)
}

/**
 * The values that fit the typed text, ignoring case: first values that begin with it, then values that contain
 * it, then values that have its letters in order. Within each group the order is kept.
 */
export function rankCompletions(values: readonly string[], typed: string): string[] {
  const wanted = typed.toLowerCase()
  const ranks: string[][] = [[], [], []]
  for (const value of values) {
    const own = value.toLowerCase()
    const at = own.indexOf(wanted)
    if (at >= 0) ranks[at === 0 ? 0 : 1]?.push(value)
    else if (hasInOrder(own, wanted)) ranks[2]?.push(value)
  }
  return ranks.flat()
}

function hasInOrder(text: string, letters: string): boolean {
  let at = 0
  for (const letter of letters) {
    at = text.indexOf(letter, at) + 1
    if (at === 0) return false
  }
  return true
}

// Arguments of tools as models and hosts send them: whole numbers that JavaScript would round, and JSON as
// text where a tool wants a value. A part of answer-call.js and of the sources that call tools.

type Args = Record<string, unknown>
type Schema = { readonly [keyword: string]: Json }

/** Whether a text may have a whole number beyond 2^53. */
export const mayRound = (json: string) => /\d{16}/.test(json)

const mark = '\u0000whole'

/** Parses JSON; a whole number that JavaScript would round becomes a bigint. */
export function parseExact(json: string): unknown {
  if (!mayRound(json)) return JSON.parse(json)
  const tokens = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g
  const marked = json.replace(tokens, (token) => {
    const whole = /^(-?\d+)(?:\.0+)?$/.exec(token)?.[1]
    return whole === undefined || Number.isSafeInteger(Number(whole))
      ? token
      : `{"${mark}":"${whole}"}`
  })
  return JSON.parse(marked.replaceAll(mark, '\\u0000whole'), (_, value) => {
    const whole: unknown = value?.[mark]
    return typeof whole === 'string' && /^-?\d+$/.test(whole) ? BigInt(whole) : value
  })
}

/**
 * Arguments without bigints: they are text where the schema asks for it.
 *
 * @param schema - of the arguments, if the tool has one
 * @returns what is wrong with the others, or the arguments
 */
export function exactArguments(args: Args, schema: Schema | undefined): Args | string {
  const wrong: string[] = []
  const visit = (value: unknown, own: Json | undefined, path: string): unknown => {
    if (typeof value === 'bigint') {
      const kinds = kindsOf(own, schema)
      if (kinds.has('string') && !kinds.has('integer') && !kinds.has('number')) return `${value}`
      wrong.push(`${path}: ${value} is a whole number beyond 2^53, which would be rounded here`)
    }
    if (Array.isArray(value)) {
      const items = memberOf(own, 'items')
      return value.map((one, i) => visit(one, items, `${path}/${i}`))
    }
    if (typeof value !== 'object' || value === null) return value
    const properties = memberOf(own, 'properties')
    const others = memberOf(own, 'additionalProperties')
    return Object.fromEntries(
      Object.entries(value).map(([key, one]) => [
        key,
        visit(one, memberOf(properties, key) ?? others, `${path}/${key}`),
      ]),
    )
  }
  const exact = visit(args, schema, '') as Args
  return wrong.length > 0 ? wrong.join('; ') : exact
}

/**
 * Arguments in which texts are taken for what they say: where the schema wants a list, number, object or
 * boolean, and no text, and the text is JSON of that. `undefined`: there are none.
 */
function unquoted(args: Args, schema: Schema): Args | undefined {
  const found: Args = {}
  for (const [key, text] of Object.entries(args)) {
    if (typeof text !== 'string') continue
    const kinds = kindsOf(memberOf(schema.properties, key), schema)
    if (kinds.size === 0 || kinds.has('string')) continue
    try {
      const value = parseExact(text)
      if (kinds.has(kindOf(value)) || (kinds.has('integer') && Number.isInteger(value)))
        found[key] = value
    } catch {
      // it is no JSON
    }
  }
  return Object.keys(found).length > 0 ? { ...args, ...found } : undefined
}

/** Checks arguments, and once more with texts that are JSON taken for what they say. */
export async function checkedArguments(own: Args, input: Checker | undefined): Promise<Checked> {
  const args = exactArguments(own, input?.json)
  if (typeof args === 'string') return { problems: [{ path: '', message: args }] }
  if (input === undefined) return { value: args }
  const first = await input.check(args)
  const other = 'problems' in first && unquoted(args, input.json)
  const exact = other && exactArguments(other, input.json)
  if (!exact || typeof exact === 'string') return first
  const again = await input.check(exact)
  return 'problems' in again ? first : again
}

function kindOf(value: unknown): string {
  if (Array.isArray(value)) return 'array'
  return value === null ? 'null' : typeof value
}

/** The types that a schema says values may have; none: it says nothing. */
function kindsOf(schema: Json | undefined, root: Json | undefined, depth = 0): Set<string> {
  const kinds = new Set<string>()
  if (depth > 8) return kinds
  for (const one of [memberOf(schema, 'type')].flat()) if (typeof one === 'string') kinds.add(one)
  const values = memberOf(schema, 'enum')
  if (kinds.size === 0 && Array.isArray(values)) for (const one of values) kinds.add(kindOf(one))
  for (const name of ['anyOf', 'oneOf', 'allOf']) {
    const branches = memberOf(schema, name)
    if (!Array.isArray(branches)) continue
    for (const branch of branches)
      for (const kind of kindsOf(branch, root, depth + 1)) kinds.add(kind)
  }
  const ref = memberOf(schema, '$ref')
  if (typeof ref === 'string' && ref.startsWith('#/')) {
    const target = ref
      .slice(2)
      .split('/')
      .reduce((at, part) => memberOf(at, part), root)
    for (const kind of kindsOf(target, root, depth + 1)) kinds.add(kind)
  }
  return kinds
}

function memberOf(value: Json | undefined, name: string): Json | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined
  return Object.hasOwn(value, name) ? (value as Schema)[name] : undefined
}
