/** Searches the index of all pages that the build makes. Runs in the page; no text leaves it. */

/** `search.json`. */
export interface Index {
  /** Path without extension, title, and a sentence about the page. */
  readonly pages: readonly (readonly [path: string, title: string, about: string])[]
  /** What is below each heading; the anchor is empty at the beginning of a page. */
  readonly parts: readonly (readonly [
    page: number,
    anchor: string,
    heading: string,
    text: string,
  ])[]
}

export interface Hit {
  /** Path without extension, and anchor. */
  readonly path: string
  readonly anchor: string
  /** Title of the page. */
  readonly page: string
  readonly heading: string
  /** The part of the text around the first match. */
  readonly excerpt: string
}

const wordStart = (text: string, at: number) =>
  at === 0 || !/[\p{L}\p{N}]/u.test(text[at - 1] ?? '')

/** How well `term` fits: 0 if it does not occur. */
function weight(text: string, term: string, whole: number, start: number, inside: number): number {
  const at = text.indexOf(term)
  if (at < 0) return 0
  if (text === term) return whole
  return wordStart(text, at) || text.includes(` ${term}`) ? start : inside
}

const around = 60 // UTF-16 code units before a match

function excerptOf(text: string, terms: readonly string[]): string {
  const lower = text.toLowerCase()
  const found = terms.map((term) => lower.indexOf(term)).filter((at) => at >= 0)
  const at = found.length > 0 ? Math.min(...found) : 0
  const from = at <= around ? 0 : text.indexOf(' ', at - around) + 1 || at - around
  const end = from + 180
  return `${from > 0 ? '… ' : ''}${text.slice(from, end)}${end < text.length ? ' …' : ''}`
}

/** Words that questions have and answers need not. */
const fillers = new Set(
  'a an and are at by can do does for from how i in into is it my not of on or the to what when where which why with'.split(
    ' ',
  ),
)

/** Guides come before references, and both before lists of what has changed or was measured. */
function shareOf(path: string): number {
  if (path === 'changelog' || path === 'benchmarks') return 0.2
  return path.startsWith('reference-') ? 0.4 : 1
}

/** The score of a part for each word of the query. */
function score(part: readonly string[], path: string, isStart: boolean, terms: readonly string[]) {
  const [page = '', heading = '', text = ''] = part
  const share = shareOf(path)
  return terms.map(
    (term) =>
      share *
      ((isStart ? weight(page, term, 60, 30, 8) : weight(page, term, 2, 2, 1)) +
        weight(heading, term, 40, 20, 6) +
        weight(text, term, 3, 3, 1)),
  )
}

/** The words of a query that are searched for, in lower case. */
export function termsOf(query: string): string[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean)
  const telling = words
    .map((word) => word.replace(/[?!.,:;]+$/, ''))
    .filter((word) => word && !fillers.has(word))
  return telling.length > 0 ? telling : words
}

/**
 * Parts in which all words of `query` occur, best first. If there are none, the parts with the most of its words, at
 * least half.
 */
export function search({ pages, parts }: Index, query: string, most = 30): Hit[] {
  const asked = query.toLowerCase().replace(/\s+/g, ' ').trim()
  const terms = termsOf(query)
  if (terms.length === 0) return []
  const hits: { found: number; score: number; order: number; hit: () => Hit }[] = []
  for (const [order, [number, anchor, heading, text]] of parts.entries()) {
    const [path = '', page = ''] = pages[number] ?? []
    const lower = [page, heading, text].map((one) => one.toLowerCase())
    const scores = score(lower, path, anchor === '', terms)
    const phrase = terms.length > 1 && lower.slice(1).join(' ').includes(asked) ? 20 : 0
    const found = scores.filter((one) => one > 0).length
    if (found * 2 < terms.length || found === 0) continue
    const sum = scores.reduce((sum, one) => sum + one, phrase)
    const hit = () => ({ path, anchor, page, heading, excerpt: excerptOf(text, terms) })
    hits.push({ found, score: sum, order, hit })
  }
  const whole = hits.filter(({ found }) => found === terms.length)
  const chosen = whole.length > 0 ? whole : hits
  chosen.sort((a, b) => b.found - a.found || b.score - a.score || a.order - b.order)
  return chosen.slice(0, most).map(({ hit }) => hit())
}
