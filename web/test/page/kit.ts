/** What tests evaluate in a page: the source under test. Everything here runs in the browser. */
import type { Source } from '../../src/source.ts'
import { page } from '../../src/sources/page.ts'
import { changes, never } from '../harness/sources.ts'

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

const exported = { page, show, read, text, changes, never }

declare global {
  var pageKit: typeof exported
}

globalThis.pageKit = exported
