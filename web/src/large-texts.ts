/**
 * Large texts of providers on their way from the window to the engine's Worker: a text that is the same as at the
 * last read is not sent again. Comparing 10 MB takes 1 ms; copying them to the other thread takes 10.
 */

import type { Ready } from './contents.ts'

/** From this length on. */
const large = 64 << 10 // UTF-16 code units
/** The most that one side stores; an app has its texts mostly in memory anyway, and they are shared then. */
const maxStored = 32 << 20 // UTF-16 code units

/** The last large text of each provider, on either side. Both number them alike. */
export interface LargeTexts {
  get(ref: number): LargeText | undefined
  /** How often `delete` was called. */
  readonly deletions: number
  /** Stores a text, unless a registration has gone since `deletions` was read: it may be this one. */
  set(ref: number, text: LargeText, deletions: number): void
  /** Drops the texts of `count` registrations from `first` on. */
  delete(first: number, count: number): void
}

export interface LargeText {
  readonly number: number
  readonly text: string
}

/** The answer of a provider as it crosses. */
export type Crossing =
  | (Ready & { number?: number })
  | { readonly sameAs: number; readonly mimeType: string | undefined }
  | undefined

export function largeTexts(): LargeTexts {
  let texts = new Map<number, LargeText>() // by the provider's number
  let total = 0
  let deletions = 0
  const remove = (ref: number) => {
    total -= texts.get(ref)?.text.length ?? 0
    texts.delete(ref)
  }
  return {
    get: (ref) => texts.get(ref),
    get deletions() {
      return deletions
    },
    set(ref, text, before) {
      if (before !== deletions) return
      remove(ref)
      if (text.text.length > maxStored) return
      if (total + text.text.length > maxStored) {
        texts = new Map()
        total = 0
      }
      texts.set(ref, text)
      total += text.text.length
    },
    delete(first, count) {
      deletions++
      for (let ref = first; ref < first + count && texts.size > 0; ref++) remove(ref)
    },
  }
}

let last = 0

/**
 * In the window: what is sent for an answer.
 *
 * @param deletions - before the provider was called
 * @param has - the number of the text that the Worker has
 */
export function crossing(
  sent: LargeTexts,
  ref: number,
  deletions: number,
  has: number | undefined,
  ready: Ready | undefined,
): Crossing {
  if (typeof ready?.value !== 'string' || ready.value.length < large) return ready
  const { value: text, mimeType } = ready
  const known = sent.get(ref)
  if (known !== undefined && known.number === has && known.text === text) {
    return { sameAs: known.number, mimeType }
  }
  const number = ++last
  sent.set(ref, { number, text }, deletions)
  return { ...ready, number }
}

/**
 * In the Worker: the answer, of what was sent.
 *
 * @param deletions - before the window was asked
 */
export function crossed(
  got: LargeTexts,
  ref: number,
  deletions: number,
  known: LargeText | undefined,
  sent: Crossing,
): Ready | undefined {
  if (sent === undefined) return undefined
  if ('sameAs' in sent) {
    if (known?.number !== sent.sameAs) throw new Error('the window refers to an unknown text')
    return { value: known.text, mimeType: sent.mimeType }
  }
  const { number, value } = sent
  if (number !== undefined) got.set(ref, { number, text: value as string }, deletions)
  return sent
}
