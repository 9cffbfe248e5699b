/** Reading time of a text: 60 ms per character, twice that for CJK scripts. */
export function readingTime(text: string): number {
  let ms = 2000
  for (const letter of text) ms += letter > '⺀' ? 120 : 60
  return Math.min(ms, 12_000)
}
