/** What tests evaluate in a page: the source under test. Everything here runs in the browser. */
import type { Source } from '../../src/source.ts'
import { page } from '../../src/sources/page.ts'

const never = new AbortController().signal

/** Puts HTML into the body; scripts in it do not run. */
function show(html: string): void {
  document.body.innerHTML = html
}

/** The text of a resource, of everything in the body. */
async function read(uri: string, source: Source = page({ select: ['body'] })): Promise<string> {
  const [item] = await source.read(uri, { signal: never })
  return item?.text ?? ''
}

const text = (html: string) => {
  show(html)
  return read('page:///text')
}

/** Changes as they come. `until` waits for all of `wanted`, and answers what came, without doubles. */
function changes(source: Source) {
  let seen: string[] = []
  let look = () => {}
  const controller = new AbortController()
  source.watch?.((uri, under) => {
    seen.push(`${uri ?? 'list'}${under ? '*' : ''}`)
    look()
  }, controller.signal)
  return {
    count: () => seen.length,
    stop: () => controller.abort(),
    async until(...wanted: string[]): Promise<string[]> {
      await new Promise<void>((resolve) => {
        look = () => wanted.every((one) => seen.includes(one)) && resolve()
        look()
      })
      const all = [...new Set(seen)].sort()
      seen = []
      return all
    },
  }
}

const exported = { page, show, read, text, changes, never }

declare global {
  var pageKit: typeof exported
}

globalThis.pageKit = exported
