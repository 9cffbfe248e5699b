/** What the question about a request shows: plain data, which may go to another tab of the app. */

import type { AccessRequest } from '../access-types.ts'
import { languageOf } from '../translation.ts'
import { sessionTime } from './grants.ts'
import { clean, shownJson, type Texts, textsIn } from './texts.ts'

/** What a question is about. */
export interface Asked {
  readonly assistant: string
  readonly callsItself?: string
  readonly right: 'read' | 'act'
  readonly method: string
  /** A URI, or the name of a prompt. */
  readonly what?: string
  readonly tool?: { readonly name: string; readonly title?: string; readonly destructive?: boolean }
  readonly arguments?: { readonly text: string; readonly cut: number }
}

/** The request with its texts cut and cleaned, except the names that decisions belong to. */
export function askedOf(request: AccessRequest): Asked {
  const { assistant, callsItself, right, method, uri, prompt, tool } = request
  const what = uri === 'access:///read' ? undefined : (uri ?? prompt) // that one stands for all
  const { arguments: given } = request
  return {
    assistant,
    right,
    method: clean(method),
    ...(callsItself && { callsItself: clean(callsItself) }),
    ...(what !== undefined && { what: clean(what) }),
    ...(tool && {
      tool: {
        name: tool.name,
        ...(tool.title && { title: clean(tool.title) }),
        ...(tool.destructive && { destructive: true }),
      },
    }),
    ...(given !== undefined && right === 'act' && { arguments: shownJson(given) }),
  }
}

/** Whether a name is shown as it is: decisions belong to what the user has seen. */
export const isShowable = (name: string) => name !== '' && clean(name) === name

/** What a gateway calls those who have no name of their own. */
const unnamed = ['unnamed', 'token', 'stdio', 'anyone']

/** A question in the user's language. */
export interface Shown {
  readonly language: string
  readonly texts: Texts
  readonly title: 'read' | 'act' | 'once'
  readonly means: 'readMeans' | 'actMeans' | 'onceMeans'
  readonly until: readonly (keyof Texts)[]
  readonly isUnnamed: boolean
  /** For `{…}` in the texts. */
  readonly names: { readonly [name: string]: string }
  readonly toolNames?: { readonly title: string; readonly name: string }
  readonly arguments?: Asked['arguments']
  /** In the order of their buttons. */
  readonly choices: readonly (readonly [
    'session' | 'always' | 'once' | 'tool-session' | 'deny',
    keyof Texts,
  ])[]
}

/**
 * @param app - its name
 * @param title - its name for people
 * @param wanted - language tags, most wanted first
 */
export function shownOf(
  asked: Asked,
  app: string,
  title: string | undefined,
  origin: string,
  wanted: readonly string[],
  now: number,
): Shown {
  const language = languageOf(wanted)
  const texts = textsIn(language)
  const { assistant, callsItself, right, tool, method, what } = asked
  const isUnnamed = unnamed.includes(assistant)
  const time = new Intl.DateTimeFormat(language, { dateStyle: 'short', timeStyle: 'short' })
  const names = {
    assistant: nameOf(assistant, isUnnamed, texts),
    app: clean(title || app),
    id: clean(title && title !== app ? `${title} (${app})` : app),
    origin,
    name: callsItself && callsItself !== assistant ? callsItself : '',
    method,
    what: what ?? '',
    tool: tool?.title ?? tool?.name ?? '',
    time: time.format(now + sessionTime),
  }
  const common = {
    language,
    texts,
    isUnnamed,
    names,
    ...(tool && { toolNames: { title: tool.title ?? tool.name, name: tool.name } }),
    ...(asked.arguments && { arguments: asked.arguments }),
  }
  if (asked.arguments && asked.arguments.cut > 0) {
    // Nobody can allow what they cannot read.
    const means = tool?.destructive ? ('onceMeans' as const) : ('actMeans' as const)
    return { ...common, title: 'once', means, until: [], choices: [['deny', 'deny']] }
  }
  if (tool?.destructive) {
    return {
      ...common,
      title: 'once',
      means: 'onceMeans',
      until: ['untilToolSession'],
      choices: [
        ['once', 'allowOnce'],
        ['tool-session', 'toolSession'],
        ['deny', 'deny'],
      ],
    }
  }
  return {
    ...common,
    title: right,
    means: right === 'read' ? 'readMeans' : 'actMeans',
    until: ['untilSession', 'untilAlways'],
    choices: [
      ['session', 'thisTime'],
      ['always', 'always'],
      ['deny', 'deny'],
    ],
  }
}

/** How the assistant is named in a sentence. */
function nameOf(assistant: string, isUnnamed: boolean, texts: Texts): string {
  if (isUnnamed) return texts.unnamed
  if (assistant === 'webmcp') return texts.browser
  if (/^https?:\/\//.test(assistant)) return texts.window.replace('{origin}', () => assistant)
  return assistant
}
