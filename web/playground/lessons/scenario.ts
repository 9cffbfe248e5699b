/**
 * A scenario is a transcript, in the format of testdata/transcripts, with captions. Lessons, presentations,
 * and tests share this format.
 *
 *     A description for readers of the file.
 *     -- options.json --        revisions, minutes; and the engine's pageSize, completions, prompts, tools …
 *     -- info.json --           name and version of the server
 *     -- resources.json --      URI -> {name, text | blob | contents, mimeType, …}
 *     -- templates.json --      URI template -> {name, text with {variable} in it, …, complete}
 *     -- prompts.json --        name -> {description, arguments, …} and its behaviour: see scenario-engine.ts
 *     -- tools.json --          the same
 *     -- transcript --
 *     = caption                 starts a step with a caption
 *     ? caption                 starts a step in which the learner sends the next "->"
 *     : user caption            starts a step of a chat: the caption is what a user writes
 *     : assistant caption       the same of a scripted assistant, with the messages that it sends
 *     * uri text                members that a presentation marks, beside those in the caption as code
 *     ~ {…}                     initial text of the learner's composer
 *     -> {…}                    the client sends a message; ->B is another client
 *     <- {…}                    the server sends a message with at least these members
 *     !  write URI "text"       the data changes
 *     @ 2025-11-25              lines up to the next @ belong to this revision only; @ * ends that
 *     -- captions.en --
 *     caption: The text.        also `title` and `about`; `{name}` is the value of "$name" in a message before;
 *                               `[[…]]` is for learners only: an audience cannot press a button
 *
 * With `revisions`, a scenario can be played in each of them: "->" lines get its envelope, and classic
 * revisions start with a handshake. Without it, every message is sent unchanged.
 * `->q` and `<-q` have a quoted string, for text that is not one line of JSON. In `<-`, and in the learner's `->`,
 * `"$any"` and `"$name"` are patterns (pattern.ts); a learner's line with `"$any"` needs a `~` line
 * that fits it. A scenario without `=`, `?` and `:` has one step per sent message or event.
 */

import { isRevision, type Revision } from '../protocol/revisions.ts'
import { type Archive, readArchive } from './archive.ts'
import { difference, isOpen } from './pattern.ts'

export interface Options {
  /** Revisions in which it can be played; absent: messages are sent unchanged. */
  revisions?: Revision[]
  /** Duration of the lesson, minutes. */
  minutes?: number
  /** The playground plays it on the server of its demo, tests and embedded playgrounds on one with these resources. */
  demo?: boolean
  /** Options of the engine; see scenario-engine.ts. */
  [engine: string]: unknown
}

/** One line of the transcript. */
export type Line =
  | {
      what: 'send' | 'expect'
      client: string
      text: string
      /** Quoted: sent without changes. */
      exact?: true
    }
  | { what: 'event'; verb: string; subject: string; value: string }

export interface Limits {
  /** Its revisions; absent: all. */
  only?: readonly Revision[]
}

/** Who speaks in a chat. */
export type Speaker = 'user' | 'assistant'

/** A step, shown at once. */
export interface Step extends Limits {
  /** Of a chat: who says the caption. */
  speaker?: Speaker
  /** Key of the caption; `''`: none. */
  caption: string
  /** Whether the learner sends the first `send`. */
  learner: boolean
  /** Names of members that a presentation marks. */
  marks?: readonly string[]
  /** JSON text that the learner's composer starts with; `''`: unchanged. */
  draft: string
  lines: readonly (Line & Limits)[]
}

export interface Scenario {
  readonly id: string
  /** Text before the first file. */
  readonly comment: string
  readonly options: Options
  readonly info: Readonly<Record<string, string>>
  readonly resources: Readonly<Record<string, Described>>
  readonly templates: Readonly<Record<string, Described>>
  readonly prompts: Readonly<Record<string, Described>>
  readonly tools: Readonly<Record<string, Described>>
  readonly steps: readonly Step[]
  /** Texts by language, then by key. */
  readonly captions: ReadonlyMap<string, ReadonlyMap<string, string>>
}

/** A description of a resource, template, prompt or tool, and its behaviour. */
export interface Described {
  readonly [member: string]: unknown
}

/** Files of descriptions, each with `.json` appended. */
export const worldFiles = ['resources', 'templates', 'prompts', 'tools'] as const

/**
 * Parses a scenario.
 *
 * @param id - its name, without `.txtar`
 * @throws Error that names the invalid file within the archive, or line of the transcript
 */
export function parseScenario(id: string, text: string): Scenario {
  const archive = readArchive(text)
  const json = (name: string) => jsonOf(archive, `${name}.json`)
  const options = json('options') as Options
  const { revisions } = options
  if (revisions !== undefined && !(Array.isArray(revisions) && revisions.every(isRevision))) {
    throw new Error('options.json: revisions are not a list of known ones')
  }
  const transcript = archive.files.get('transcript')
  if (transcript === undefined) throw new Error('there is no file "transcript"')
  const world = Object.fromEntries(worldFiles.map((name) => [name, json(name)]))
  return {
    id,
    comment: archive.comment.trim(),
    options,
    info: json('info') as Record<string, string>,
    ...(world as Pick<Scenario, (typeof worldFiles)[number]>),
    steps: stepsOf(transcript),
    captions: captionsOf(archive),
  }
}

/** The steps and lines of a revision, in order; undefined: those without a revision. */
export function stepsIn(scenario: Scenario, revision: Revision | undefined): readonly Step[] {
  const fits = ({ only }: Limits) =>
    only === undefined || (revision !== undefined && only.includes(revision))
  return scenario.steps
    .filter(fits)
    .map((step) => ({ ...step, lines: step.lines.filter(fits) }))
    .filter(({ caption, lines }) => caption !== '' || lines.length > 0)
}

/**
 * A text in a language, else in English, else `''`.
 *
 * @param key - of a step, `title` or `about`
 */
export function captionOf(scenario: Scenario, key: string, language: string): string {
  const texts = scenario.captions
  return texts.get(language)?.get(key) ?? texts.get('en')?.get(key) ?? ''
}

/** Whether a scenario is a chat with a scripted assistant. */
export const isChat = ({ steps }: Scenario): boolean => steps.some(({ speaker }) => speaker)

function jsonOf({ files }: Archive, name: string): unknown {
  let value: unknown
  try {
    value = JSON.parse(files.get(name) ?? '{}')
  } catch (error) {
    throw new Error(`${name}: ${(error as Error).message}`)
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new Error(`${name} is not an object`)
  }
  return value
}

function captionsOf({ files }: Archive): Map<string, Map<string, string>> {
  const all = new Map<string, Map<string, string>>()
  for (const [name, contents] of files) {
    if (!name.startsWith('captions.')) continue
    const texts = new Map<string, string>()
    for (const line of contents.split('\n')) {
      if (line.trim() === '') continue
      const [, key, text] = /^([\w-]+):\s+(.*)$/s.exec(line) ?? []
      if (key === undefined || text === undefined) throw new Error(`${name}: ${line}`)
      texts.set(key, text.trim())
    }
    all.set(name.slice('captions.'.length), texts)
  }
  return all
}

/** A step during parsing. */
interface Draft extends Step {
  lines: (Line & Limits)[]
}

function stepsOf(transcript: string): Step[] {
  const steps: Draft[] = []
  const hasSteps = /^[=?:]/m.test(transcript)
  let only: readonly Revision[] | undefined
  const begin = (caption: string, learner: boolean, speaker?: Speaker): Draft => {
    const step = {
      caption,
      learner,
      draft: '',
      lines: [],
      ...(speaker && { speaker }),
      ...(only && { only }),
    }
    steps.push(step)
    return step
  }
  for (const [i, line] of transcript.split('\n').entries()) {
    if (line.trim() === '') continue
    try {
      const rest = line.slice(1).trim()
      const last = steps.at(-1)
      if (/^[=?] /.test(line)) begin(rest, line.startsWith('?'))
      else if (line.startsWith(': ')) begin(...turnOf(rest))
      else if (line.startsWith('* ')) {
        if (!last || last.lines.length > 0)
          throw new Error('"*" stands right after "=", "?" or ":"')
        last.marks = rest.split(/\s+/)
      } else if (line.startsWith('@ ')) only = limitOf(rest)
      else if (line.startsWith('~ ')) {
        if (!last?.learner || last.lines.length > 0) throw new Error('"~" stands right after "?"')
        JSON.parse(rest)
        last.draft = rest
      } else {
        const read = lineOf(line)
        const begins = last === undefined || (!hasSteps && read.what !== 'expect')
        const step = begins ? begin('', false) : last
        step.lines.push({ ...read, ...(only && { only }) })
      }
    } catch (error) {
      throw new Error(`transcript, line ${i + 1}: ${(error as Error).message}`)
    }
  }
  for (const step of steps) checkLearner(step)
  return steps
}

/** The parameters of a step of a chat. */
function turnOf(words: string): [caption: string, learner: boolean, speaker: Speaker] {
  const [, speaker, caption] = /^(user|assistant) +(\S+)$/.exec(words) ?? []
  if (speaker === undefined || caption === undefined) {
    throw new Error('after ":" comes user or assistant, and a caption')
  }
  return [caption, false, speaker as Speaker]
}

function limitOf(words: string): readonly Revision[] | undefined {
  if (words === '*') return undefined
  const revisions = words.split(/\s+/)
  if (!revisions.every(isRevision)) throw new Error(`not known: ${words}`)
  return revisions
}

function lineOf(line: string): Line {
  const [, arrow, client = '', quoted, rest = ''] =
    /^(->|<-|!)([0-9A-Za-z]*?)(q?)\s+(.*)$/s.exec(line) ?? []
  if (arrow === '!') {
    const [, verb = '', subject = '', value = ''] = /^(\S+)\s*(\S*)\s*(.*)$/s.exec(rest) ?? []
    return { what: 'event', verb, subject, value }
  }
  if (arrow === undefined) throw new Error('a line begins with ->, <-, !, =, ?, :, *, ~ or @')
  const value: unknown = quoted || arrow === '<-' ? JSON.parse(rest) : rest
  if (quoted && typeof value !== 'string') throw new Error('after q comes a quoted string')
  return {
    what: arrow === '->' ? 'send' : 'expect',
    client,
    ...(quoted ? { text: value as string, exact: true } : { text: rest }),
  }
}

/** A learner's step must have a message to send, and the shown draft must match it. */
function checkLearner({ caption, learner, draft, lines }: Step) {
  if (!learner) return
  const send = lines.find(({ what }) => what === 'send')
  if (send?.what !== 'send') throw new Error(`? ${caption}: the learner has nothing to send`)
  if (send.exact) return
  const pattern: unknown = JSON.parse(send.text)
  if (!isOpen(pattern)) return
  const wrong = draft === '' || difference(pattern, JSON.parse(draft), new Map())
  if (wrong) throw new Error(`? ${caption}: "~" does not fit "->"`)
}
