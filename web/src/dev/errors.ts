/** The errors of a page under development: each is kept at once, gets its place in the sources, and is announced then. */

import { type Ring, spaced } from './ring.ts'
import { type Frame, framesOf, sourceMapper } from './source-map.ts'
import { errorText, redactLog } from './text.ts'

export interface ErrorEntry {
  time: string
  /** `logged`: by `console.error`, as frameworks do with errors of components. `build`: of the development server. */
  kind: 'uncaught' | 'rejection' | 'logged' | 'build'
  /** Whether no hot update was applied since. */
  open: boolean
  times: number
  message: string
  file?: string
  line?: number
  column?: number
  stack: string[]
}

/** Some errors, for a line: the first one's place, and how many more there were. */
export interface ErrorSummary extends Pick<ErrorEntry, 'message' | 'file' | 'line' | 'column'> {
  more?: number
}

const announcedEvery = 1_000 // ms
const mapTime = 150 // ms until an error is announced with its place in what the browser runs
const maxMessage = 1_000 // UTF-16 code units
const maxSummary = 300 // UTF-16 code units

/**
 * @param shown - makes the URL of a source short
 * @param announce - called at once with a first error, and then at most once a second
 */
export function errorLog(
  errors: Ring<ErrorEntry>,
  fetch: typeof globalThis.fetch,
  shown: (url: string) => string,
  announce: (summary: ErrorSummary) => void,
) {
  const mapper = sourceMapper(location.href, async (url) =>
    (await fetch(url, { cache: 'force-cache' })).text(),
  )
  const seen = new WeakSet<object>()
  let waiting: { entry: ErrorEntry; more: number } | undefined
  let lastKey = ''
  let closing: ErrorEntry[] = []

  const announceNow = spaced(announcedEvery, () => {
    if (waiting === undefined) return
    const { message, file, line, column } = waiting.entry
    const { more } = waiting
    waiting = undefined
    announce({
      message: message.slice(0, maxSummary),
      file,
      line,
      column,
      ...(more > 0 && { more }),
    })
  })
  const wait = (entry: ErrorEntry) => {
    waiting = waiting ? { ...waiting, more: waiting.more + 1 } : { entry, more: 0 }
    announceNow()
  }

  return {
    /**
     * Notes an error.
     *
     * @param text - instead of its message, if there is no error object
     * @param place - of an error without a stack, such as one of syntax
     */
    async failed(
      kind: ErrorEntry['kind'],
      error: unknown,
      text = '',
      place?: Omit<Frame, 'name'>,
    ): Promise<void> {
      if (typeof error === 'object' && error !== null) {
        if (seen.has(error)) return // logged, and not caught
        seen.add(error)
      }
      const message = redactLog((text || errorText(error)).slice(0, maxMessage))
      const stack = error instanceof Error ? framesOf(error.stack ?? '') : []
      const frames = stack.filter(({ file }) => file !== import.meta.url) // the hooks
      if (frames.length === 0 && place) frames.push({ name: '', ...place })
      const key = JSON.stringify([kind, message, frames[0]])
      const last = errors.entries().at(-1)
      if (last?.open && key === lastKey) {
        last.times++
        errors.changed()
        return wait(last)
      }
      const time = new Date().toISOString()
      const entry: ErrorEntry = { time, kind, open: true, times: 1, message, stack: [] }
      if (!errors.admits()) return wait(entry)
      lastKey = key
      const locate = (located: readonly Frame[]) => {
        const all = located.map((frame) => ({ ...frame, file: shown(frame.file) }))
        const own = all.find(({ file }) => !file.includes('node_modules/')) ?? all[0]
        Object.assign(entry, own && { file: own.file, line: own.line, column: own.column })
        entry.stack = all.map((one) => `${one.name} (${one.file}:${one.line}:${one.column})`.trim())
      }
      locate(frames)
      errors.add(entry)
      const mapped = kind === 'build' ? Promise.resolve() : mapper.map(frames).then(locate)
      await Promise.race([mapped, new Promise((resolve) => setTimeout(resolve, mapTime))])
      wait(entry)
      await mapped
      errors.changed()
    },
    /** A hot update begins. */
    updateBegins() {
      closing = [...errors.entries()]
    },
    /** It was applied: what happened before it began is closed. */
    updateEnds() {
      for (const entry of closing) entry.open = false
      closing = []
      mapper.forget()
      errors.changed()
    },
  }
}
