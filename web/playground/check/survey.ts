/** What the checks need to know of a server: its lists, and values from them. */

import { fillTemplate } from '../explore/template.ts'
import { isObject, type Params } from '../protocol/revisions.ts'
import type { Variables } from './match.ts'
import type { Peer } from './peer.ts'

const lists = [
  ['resources/list', 'resources'],
  ['resources/templates/list', 'resourceTemplates'],
  ['prompts/list', 'prompts'],
  ['tools/list', 'tools'],
] as const

/** Pages of a list that are fetched, and items that are read. */
const maxPages = 3
const maxItems = 4

/**
 * Reads the lists and some of the resources; rules judge these responses, too.
 *
 * @returns variables, and lists for `*`: `lists`, `resources`, `templates`, `prompts`
 */
export async function survey(peer: Peer, caps: Params): Promise<Variables> {
  const found: Record<string, Params[]> = {}
  const known: Variables = { lists: [] }
  for (const [method, member] of lists) {
    if (!isObject(caps[method.split('/')[0] as string])) continue
    known.list ??= method
    known.listed ??= member
    ;(known.lists as Params[]).push({ method, member })
    let cursor: unknown
    const items: Params[] = []
    for (let page = 0; page < maxPages && (page === 0 || typeof cursor === 'string'); page++) {
      const { result } = await peer.ask(method, page === 0 ? {} : { cursor })
      const some = result?.[member]
      items.push(...(Array.isArray(some) ? some.filter(isObject) : []))
      cursor = result?.nextCursor
      if (page === 0 && typeof cursor === 'string') {
        known.paged ??= method
        known.cursor ??= cursor
      }
    }
    found[member] = items
  }
  const { resources = [], resourceTemplates = [], prompts = [] } = found
  const uri = resources[0]?.uri
  if (uri !== undefined) known.uri = uri
  const scheme = /^[^:]+/.exec(String(uri ?? 'check'))
  known.unknownUri = `${scheme}://check-unknown/${Date.now()}`
  for (const { uri } of resources.slice(0, maxItems))
    await peer.ask('resources/read', { uri, _meta: { progressToken: `read ${String(uri)}` } })
  known.resources = resources.filter(({ size }) => size !== undefined).slice(0, 1)
  known.templates = await Promise.all(
    resourceTemplates.slice(0, maxItems + 2).map((one) => templateOf(peer, caps, one, resources)),
  )
  known.prompts = await Promise.all(
    prompts.slice(0, maxItems).map((one) => promptOf(peer, caps, one)),
  )
  return known
}

/** The first completion of an argument. */
async function complete(peer: Peer, caps: Params, ref: Params, name: string) {
  if (!caps.completions) return undefined
  const { result } = await peer.ask('completion/complete', { ref, argument: { name, value: '' } })
  const values = isObject(result?.completion) ? result.completion.values : undefined
  return Array.isArray(values) && typeof values[0] === 'string' ? values[0] : undefined
}

/** A template, and a URI that it makes of completed values. */
async function templateOf(
  peer: Peer,
  caps: Params,
  { uriTemplate, mimeType }: Params,
  listed: readonly Params[],
): Promise<Variables> {
  const template = String(uriTemplate)
  const ref = { type: 'ref/resource', uri: template }
  const values: Record<string, string> = {}
  const { variables } = fillTemplate(template, {})
  for (const { name } of variables) {
    const value = await complete(peer, caps, ref, name)
    if (value !== undefined) values[name] = value
  }
  const { uri } = fillTemplate(template, values)
  return {
    uriTemplate,
    ...(variables[0] && { variable: variables[0].name }),
    ...(uri !== undefined && { expanded: uri }),
    ...(uri !== undefined && mimeType !== undefined && { mimeType }),
    ...(uri !== undefined && !listed.some((one) => one.uri === uri) && { unlisted: uri }),
  }
}

/** A prompt, and arguments for it. `works`: it has returned messages. */
async function promptOf(peer: Peer, caps: Params, prompt: Params): Promise<Variables> {
  const { name } = prompt
  const all = Array.isArray(prompt.arguments) ? prompt.arguments.filter(isObject) : []
  const values: Record<string, string> = {}
  for (const { name: argument } of all) {
    const ref = { type: 'ref/prompt', name }
    values[String(argument)] = (await complete(peer, caps, ref, String(argument))) ?? 'test'
  }
  const { result } = await peer.ask('prompts/get', { name, arguments: values })
  const needed = all.filter(({ required }) => required).map((one) => String(one.name))
  return {
    name,
    needed: Object.fromEntries(needed.map((one) => [one, values[one]])),
    ...(all[0] && { argument: all[0].name }),
    ...(needed.length > 0 && { required: true }),
    ...(needed.length < all.length && result && { works: true }),
  }
}
