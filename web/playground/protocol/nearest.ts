/** Suggestions for mistyped words. */

/** The largest distance of a typo: a third of the longer word. */
const tolerance = 3

/** Longer words are not compared: such URIs are not typed by hand. */
const maxLength = 200 // UTF-16 code units

/** The nearest candidate within the tolerance; never `word` itself. */
export function nearest(word: string, candidates: Iterable<string>): string | undefined {
  let best: string | undefined
  let least = Number.POSITIVE_INFINITY
  for (const candidate of candidates) {
    if (candidate === word) continue
    const limit = Math.max(2, Math.floor(Math.max(word.length, candidate.length) / tolerance))
    const edits = distance(word.toLowerCase(), candidate.toLowerCase(), Math.min(limit, least))
    if (edits <= limit && edits < least) {
      least = edits
      best = candidate
    }
  }
  return best
}

/** Levenshtein distance, or any number above `limit`. */
export function distance(a: string, b: string, limit = Number.POSITIVE_INFINITY): number {
  if (Math.abs(a.length - b.length) > limit || a.length > maxLength || b.length > maxLength) {
    return limit + 1
  }
  let before = Array.from({ length: b.length + 1 }, (_, i) => i)
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    for (let j = 1; j <= b.length; j++) {
      row[j] = Math.min(
        (before[j] as number) + 1,
        (row[j - 1] as number) + 1,
        (before[j - 1] as number) + (a[i - 1] === b[j - 1] ? 0 : 1),
      )
    }
    before = row
  }
  return before[b.length] as number
}
