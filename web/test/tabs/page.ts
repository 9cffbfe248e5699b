/** What tests evaluate in a page that knows its tabs. Everything here runs in the browser. */
import { tabs } from '../../src/sources/tabs.ts'

const never = new AbortController().signal

/** Each page of the tests is a tab from its start; `?plain` is one that does not take part. */
const joins = !location.search.startsWith('?plain')
const source = joins
  ? tabs(location.search.startsWith('?mute') ? undefined : { text: ['body'] })
  : undefined

const seen: string[] = []
let look = () => {}
source?.watch?.((what, under) => {
  seen.push(`${what ?? 'list'}${under ? '*' : ''}`)
  look()
}, never)

/** Whether this document has come back from the back/forward cache. */
const returned = { persisted: false }
addEventListener('pageshow', ({ persisted }) => {
  returned.persisted ||= persisted
})

export interface TabJson {
  id: string
  title: string
  url: string
  visibility: string
  focused: boolean
  lastFocus: string | null
  active: boolean
  this: boolean
}

async function read(uri: string): Promise<string> {
  const contents = await source?.read(uri, { signal: never })
  return contents?.[0]?.text ?? ''
}

async function all(): Promise<{ active: string; tabs: TabJson[] }> {
  return JSON.parse(await read('tab:///'))
}

async function own(): Promise<TabJson> {
  const mine = (await all()).tabs.find((tab) => tab.this)
  if (mine === undefined) throw new Error('this tab is not there')
  return mine
}

/** Settles when `wanted` are the titles of all tabs, in any order; awaits events, and no time. */
async function untilTitles(...wanted: string[]): Promise<TabJson[]> {
  for (;;) {
    const changed = new Promise<void>((resolve) => {
      look = resolve
    })
    const { tabs } = await all()
    const titles = tabs.map(({ title }) => title)
    if (titles.sort().join('|') === [...wanted].sort().join('|')) return tabs
    await changed
  }
}

/** What was announced, once all of `wanted` has been; the caller forgets it. */
async function until(...wanted: string[]): Promise<string[]> {
  await new Promise<void>((resolve) => {
    look = () => wanted.every((one) => seen.includes(one)) && resolve()
    look()
  })
  return [...new Set(seen.splice(0))].sort()
}

/** Forgets what was announced. */
const forget = () => seen.splice(0)

const exported = {
  source,
  tabs,
  read,
  all,
  own,
  seen,
  until,
  untilTitles,
  forget,
  returned,
  never,
}

declare global {
  var tabKit: typeof exported
}

globalThis.tabKit = exported
