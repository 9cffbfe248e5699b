/**
 * What the demo contains, in the language of the page when it starts. Names, URIs and descriptions for assistants stay
 * as they are; so do worlds of scenarios, whose transcripts quote them.
 */

import { wantedLocale } from '../base/i18n.ts'

export interface Contents {
  /** Items of the shopping list, and what stands between them. */
  goods: readonly string[]
  separator: string
  /** Notes at the first visit, besides the shopping list. */
  ideas: string
  trip: string
  /** Titles and texts of the simulated tabs. */
  pages: readonly (readonly [title: string, text: string])[]
  /** The title of the server. */
  server: string
  /** Titles by the English ones. */
  titles: Readonly<Record<string, string>>
}

export const english: Contents = {
  goods: ['milk', 'apples', 'bread', 'olives', 'lemons', 'tea', 'a map', 'candles'],
  separator: ', ',
  ideas: '# Ideas\n\n- Ask the assistant what is **still missing**\n- Bring a map\n',
  trip: 'Tram at 9:40. Ana waits at the station.',
  pages: [
    ['Tomato soup', 'Serves four.\nTomatoes, cream, basil.'],
    ['Lisbon in two days', 'Tram 28, Belém,\nand the river at night.'],
    ['Timetable', '9:40 platform 2\n10:05 platform 7'],
    ['MCP specification', 'Resources, prompts, tools.'],
  ],
  server: 'In-page demo',
  titles: {},
}

/** Those of other languages are fetched: a page needs one of them at most. */
async function load(): Promise<Contents> {
  const language = wantedLocale()
  if (language === 'en' || language === 'en-XA') return english
  try {
    const response = await fetch(new URL('demo/contents.json', document.baseURI))
    return ((await response.json()) as Record<typeof language, Contents>)[language]
  } catch {
    return english // the demo starts all the same
  }
}

const chosen = await load()

/** The contents in the language that the page had when the demo was loaded. */
export const demoContents = (): Contents => chosen

/** A title in that language. */
export const titled = (english: string): string => demoContents().titles[english] ?? english

/** A shopping list of items by their position. */
export const listOf = (...positions: readonly number[]): string => {
  const { goods, separator } = demoContents()
  return positions.map((at) => goods[at % goods.length]).join(separator)
}
