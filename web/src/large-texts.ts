/**
 * Large texts of providers on their way from the window to the engine's Worker: a text that is the same as at the
 * last read is not sent again. Comparing 10 MB takes 1 ms; copying them to the other thread takes 10. The rule of
 * bodies.ts: a text is used for an equal one alone, and goes with its registration.
 */

import type { Ready } from './contents.ts'

/** From this length on. */
const large = 64 << 10 // UTF-16 code units
/** The most that one side stores; an app has its texts mostly in memory anyway, and they are shared then. */
const maxStored = 32 << 20 // UTF-16 code units

/** The last large text of each provider, by its number. Window and Worker have the same. */
export type LargeTexts = Map<number, LargeText>

export interface LargeText {
  readonly number: number
  readonly text: string
}

/** The answer of a provider as it crosses. */
export type Crossing =
  | (Ready & { number?: number })
  | { readonly sameAs: number; readonly mimeType: string | undefined }
  | undefined

let last = 0

/**
 * In the window: what is sent for an answer.
 *
 * @param has - the number of the text that the Worker has
 * @param isRegistered - the provider; else the text is stored on neither side
 */
export function crossing(
  sent: LargeTexts,
  ref: number,
  has: number | undefined,
  isRegistered: boolean,
  ready: Ready | undefined,
): Crossing {
  const text = ready?.value
  if (!isRegistered || typeof text !== 'string' || text.length < large) return ready
  const known = sent.get(ref)
  if (known && known.number === has && known.text === text) {
    return { sameAs: has, mimeType: ready?.mimeType }
  }
  const number = ++last
  store(sent, ref, { number, text })
  return { ...ready, value: text, number }
}

/** In the Worker: the answer, of what was sent. */
export function crossed(
  got: LargeTexts,
  ref: number,
  known: LargeText | undefined,
  sent: Crossing,
): Ready | undefined {
  if (sent === undefined) return undefined
  if ('sameAs' in sent) {
    if (known?.number !== sent.sameAs) throw new Error('the window refers to an unknown text')
    return { value: known.text, mimeType: sent.mimeType }
  }
  if (sent.number) store(got, ref, { number: sent.number, text: sent.value as string })
  return sent
}

/** There are few: adding up their lengths costs nothing beside comparing one. */
function store(texts: LargeTexts, ref: number, text: LargeText) {
  texts.delete(ref)
  let total = text.text.length
  for (const other of texts.values()) total += other.text.length
  if (total > maxStored) texts.clear()
  if (text.text.length <= maxStored) texts.set(ref, text)
}

/** Drops the texts of `count` registrations from `first` on. */
export function dropTexts(texts: LargeTexts, first: number, count: number): void {
  for (const ref of texts.keys()) if (ref >= first && ref < first + count) texts.delete(ref)
}
