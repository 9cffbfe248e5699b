/** Compares two texts by lines, and changed lines by words. */

import { type ChangeObject, diffArrays, diffLines } from 'diff'

export interface Piece {
  kind: 'same' | 'removed' | 'added'
  text: string
}

/** Texts that differ more are reported as replaced: the cost grows with the square. */
const maxEdits = 1200

/** Changes between two lists; lists that differ too much are reported as replaced. */
export function diffLists<T>(
  before: T[],
  after: T[],
): Pick<ChangeObject<T[]>, 'added' | 'removed' | 'value'>[] {
  return (
    diffArrays(before, after, { maxEditLength: maxEdits }) ?? [
      { added: false, removed: true, value: before },
      { added: true, removed: false, value: after },
    ]
  )
}

// In scripts without spaces, each character is a word.
const words = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]|[\p{L}\p{M}\p{N}_]+|\s+|./gsu

const pieceOf = (
  { added, removed }: { added: boolean; removed: boolean },
  text: string,
): Piece => ({ kind: added ? 'added' : removed ? 'removed' : 'same', text })

/** Pieces of both texts in order: without additions they give `before`, without removals `after`. */
export function diffTexts(before: string, after: string): Piece[] {
  const lines = diffLines(before, after, { maxEditLength: maxEdits }) ?? [
    { added: false, removed: true, value: before },
    { added: true, removed: false, value: after },
  ]
  return lines.flatMap((change, i): Piece[] => {
    const next = lines[i + 1]
    if (change.removed && next?.added) {
      const [was, is] = [change.value, next.value].map((text) => [...(text.match(words) ?? [])])
      return diffLists(was ?? [], is ?? []).map((one) => pieceOf(one, one.value.join('')))
    }
    return change.added && lines[i - 1]?.removed ? [] : [pieceOf(change, change.value)]
  })
}

/** Number of changes: a removal and its addition are one. */
export const placesOf = (pieces: readonly Piece[]): number =>
  pieces.filter(({ kind }, i) => kind !== 'same' && (pieces[i - 1]?.kind ?? 'same') === 'same')
    .length
