/**
 * Runs within a tab, among the scripts of the page, which can read and change all of it. It sends the tools that the document
 * has registered by WebMCP, and the results of their calls; the extension trusts it with nothing else.
 */

import {
  execute,
  gatewaysChanged,
  modelContext,
  type NativeTool,
  nativeTools,
  servedGateways,
} from '../src/webmcp-tools.ts'
import { fromPage, maxAnswer, maxSchema, maxText, maxTools, type ToPage, toPage } from './wire.ts'

const calls = new Map<number, AbortController>()

function send(message: object) {
  document.dispatchEvent(new CustomEvent(fromPage, { detail: JSON.stringify(message) }))
}

async function list() {
  const all = await nativeTools().catch(() => []) // a document that may not use WebMCP
  const own = all.filter(({ annotations }) => annotations?.debugging !== true)
  const tools = own.slice(0, maxTools).map(copied)
  send({ tools, left: own.length - tools.length, gateways: servedGateways() })
}

/** A tool as JSON: Chromium 160 has interface objects, whose members are read by name. */
function copied({ name, title, description, inputSchema, annotations }: NativeTool) {
  const schema = typeof inputSchema === 'string' ? inputSchema : JSON.stringify(inputSchema ?? {})
  return {
    name,
    title: title?.slice(0, maxText),
    description: description?.slice(0, maxText),
    inputSchema: schema.length > maxSchema ? undefined : schema,
    readOnly: annotations?.readOnlyHint,
    consequential: annotations?.consequentialHint,
  }
}

async function call(id: number, name: string, input: object) {
  const own = new AbortController()
  calls.set(id, own)
  try {
    const tool = (await nativeTools()).find((one) => one.name === name)
    if (tool === undefined) throw new Error('the document has removed this tool')
    const answer = await execute(tool, input, own.signal)
    const length = answer?.length ?? 0
    const cut = `\n\n[The first ${maxAnswer} of ${length} characters.]`
    send({ id, answer: length > maxAnswer ? answer?.slice(0, maxAnswer) + cut : answer })
  } catch {
    send({ id }) // what it says is for the developer of the page
  } finally {
    calls.delete(id)
  }
}

function received({ call: wanted, cancel, isOver }: ToPage) {
  if (wanted) void call(wanted.id, wanted.name, wanted.input)
  else if (cancel !== undefined) calls.get(cancel)?.abort()
  else if (isOver) for (const one of calls.values()) one.abort()
  else void list()
}

/** Waits for a polyfill that the page loads later, at most 25 s. */
async function observe() {
  for (let wait = 100; wait < 20_000 && !modelContext()?.getTools; wait *= 2) {
    await new Promise((resolve) => setTimeout(resolve, wait))
  }
  modelContext()?.addEventListener?.('toolchange', list)
  await list()
}

const isHere = Symbol.for('pagemcp.extension')
if (!Reflect.has(document, isHere)) {
  Reflect.defineProperty(document, isHere, { value: true })
  document.addEventListener(toPage, (event) => received(JSON.parse((event as CustomEvent).detail)))
  document.addEventListener(gatewaysChanged, list)
  void observe()
}
