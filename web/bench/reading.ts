/**
 * Reads a page of 5,000 nodes, by our source and by the simplest API of the browser. The page is laid out
 * before, so that only reading is measured.
 */

import { page } from 'pagemcp'
import { largeHtml, largeOutline, largeText } from '../test/page/large.ts'

/** A race of ours against a simple function of the browser. */
export interface Pair {
  name: string
  /** The name of `plain`. */
  plainly: string
  /** Does both, in order or in reverse: µs for one operation of `ours` and of `plain`. */
  round(reverse: boolean): Promise<{ [subject: string]: number }>
}

interface Reading {
  name: string
  plainly: string
  /** Which resource; it has to be `wanted`. */
  uri: string
  wanted: string
  plain(): unknown
}

/** Reads in one round. */
const count = 5

const readings: readonly Reading[] = [
  {
    name: 'page text of 5,000 nodes',
    plainly: 'innerText',
    uri: 'page:///text',
    wanted: largeText,
    // What can be seen, as ours.
    plain: () => document.body.innerText,
  },
  {
    name: 'page outline of 5,000 nodes',
    plainly: 'TreeWalker',
    uri: 'page:///outline',
    wanted: JSON.stringify(largeOutline),
    plain: walked,
  },
  {
    name: 'page selection, all of 5,000 nodes',
    plainly: 'Selection',
    uri: 'page:///selection',
    wanted: largeText,
    plain: () => String(getSelection()),
  },
]

/** A simple script without protection from the page: headings with their text. */
function walked() {
  const found: { role: string; level: number; name: string }[] = []
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_ELEMENT)
  while (walker.nextNode()) {
    const { localName, textContent } = walker.currentNode as Element
    const level = /^h([1-6])$/.exec(localName)?.[1]
    if (level !== undefined)
      found.push({ role: 'heading', level: Number(level), name: textContent })
  }
  return JSON.stringify(found)
}

const source = page({ select: ['body'] })

async function read(uri: string) {
  const [item] = await source.read(uri, { signal: new AbortController().signal })
  return item?.text
}

/** Makes the page, and returns the parts with wrong content. */
export async function prepareReading(): Promise<string[]> {
  document.body.innerHTML = largeHtml
  getSelection()?.selectAllChildren(document.body)
  const wrong: string[] = []
  for (const { name, uri, wanted } of readings) if ((await read(uri)) !== wanted) wrong.push(name)
  return wrong
}

async function round(
  { uri, plain }: Reading,
  reverse: boolean,
): Promise<{ [subject: string]: number }> {
  const times: { [subject: string]: number } = {}
  for (const subject of reverse ? ['plain', 'ours'] : ['ours', 'plain']) {
    const begun = performance.now()
    for (let i = 0; i < count; i++) {
      if (subject === 'ours') await read(uri)
      else plain()
    }
    times[subject] = ((performance.now() - begun) * 1000) / count
  }
  return times
}

export const reading: readonly Pair[] = readings.map((one) => ({
  name: one.name,
  plainly: one.plainly,
  round: (reverse) => round(one, reverse),
}))
