/** What a tour needs of a client, whichever it is, and what it says of itself. */

/** The result of a tool, as far as the tour looks at it. */
export interface Called {
  /** The text of its blocks, joined. */
  text: string
  /** The types of its blocks. */
  types: string[]
  structured?: unknown
  isError: boolean
}

export interface CallOptions {
  progress?: (done: number, total: number | undefined) => void
  signal?: AbortSignal
}

/** One item of a resource. */
export interface Item {
  uri: string
  mimeType?: string
  text?: string
  blob?: string
}

/** A client that has connected. Every call has a time limit of its own. */
export interface Guide {
  /** The revision that was agreed on. */
  revision: string
  /** The code that it shows for a resource that is not there. */
  notFound: number
  resources(): Promise<string[]>
  templates(): Promise<string[]>
  read(uri: string): Promise<Item>
  complete(ref: Ref, argument: string, value: string): Promise<string[]>
  prompts(): Promise<string[]>
  /** The types and the text of a prompt's messages. */
  prompt(name: string, args?: Record<string, string>): Promise<Pick<Called, 'text' | 'types'>>
  tools(): Promise<string[]>
  call(name: string, args?: Record<string, unknown>, options?: CallOptions): Promise<Called>
  /** Hears of changes; `next` waits for the next one after it was called. */
  watch(what: { uri: string } | 'tools'): Promise<{ next(): Promise<void>; end(): Promise<void> }>
  close(): Promise<void>
}

export type Ref = { type: 'ref/prompt'; name: string } | { type: 'ref/resource'; uri: string }

/** For each call. */
export const timeout = 20_000 // ms

/** What every guide's user answers: the same person, model and folder. */
export const answers = {
  form: { name: 'Ada', username: 'ada', email: 'ada@example.com', ok: true, color: 'green' },
  sampled: 'Paris, I should say.',
  roots: [{ uri: 'file:///home/ada', name: 'home' }],
}

/** The answer to a form: of what is known, what it asks for. */
export function filled(schema: unknown): Record<string, string | boolean> {
  const { properties = {} } = (schema ?? {}) as { properties?: object }
  const known = Object.entries(answers.form).filter(([name]) => name in properties)
  return Object.fromEntries(known)
}

/** The texts and types of blocks. */
export function blocks(content: readonly object[]): Pick<Called, 'text' | 'types'> {
  const all = content as readonly { type: string; text?: string }[]
  return {
    types: all.map(({ type }) => type),
    text: all.flatMap(({ text }) => text ?? []).join('\n'),
  }
}

/** Changes that came, and who waits for the next one. */
export function changes(): { came(): void; next(): Promise<void> } {
  let waiting: (() => void)[] = []
  return {
    came() {
      for (const one of waiting) one()
      waiting = []
    },
    next: () =>
      new Promise((resolve, reject) => {
        const timer = setTimeout(() => reject(new Error('no news came')), timeout)
        waiting.push(() => {
          clearTimeout(timer)
          resolve()
        })
      }),
  }
}

/** The first item of a read. */
export function first(contents: readonly object[]): Item {
  const [item] = contents
  if (item === undefined) throw new Error('a read has answered with nothing')
  return item as Item
}
