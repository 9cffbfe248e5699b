/** Compares two texts by lines, and changed lines by words. */

import { type Change, diffLists } from './diff-list.ts'

export interface Piece {
  kind: Change['kind']
  text: string
}

// In scripts without spaces, each character is a word.
const words = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]|[\p{L}\p{M}\p{N}_]+|\s+|./gsu

const wordsOf = (text: string): readonly string[] => text.match(words) ?? []

/** Lines, each with its line feed. */
const linesOf = (text: string): readonly string[] => text.match(/[^\n]*\n|[^\n]+/g) ?? []

/** Pieces of both texts in order: without additions they give `before`, without removals `after`. */
export function diffTexts(before: string, after: string): Piece[] {
  const a = linesOf(before)
  const b = linesOf(after)
  const pieces: Piece[] = []
  const changes = diffLists(a, b)
  for (const [index, change] of changes.entries()) {
    const next = changes[index + 1]
    if (change.kind === 'removed' && next?.kind === 'added') {
      const was = a.slice(change.a, change.a + change.count).join('')
      const is = b.slice(next.b, next.b + next.count).join('')
      pieces.push(...diffWords(was, is))
    } else if (change.kind !== 'added' || changes[index - 1]?.kind !== 'removed') {
      push(pieces, change, a, b)
    }
  }
  return pieces
}

function diffWords(before: string, after: string): Piece[] {
  const a = wordsOf(before)
  const b = wordsOf(after)
  const pieces: Piece[] = []
  for (const change of diffLists(a, b)) push(pieces, change, a, b)
  return pieces
}

function push(pieces: Piece[], change: Change, a: readonly string[], b: readonly string[]) {
  const [list, from] = change.kind === 'removed' ? [a, change.a] : [b, change.b]
  pieces.push({ kind: change.kind, text: list.slice(from, from + change.count).join('') })
}

/** Number of changes: a removal and its addition are one. */
export function placesOf(pieces: readonly Piece[]): number {
  let places = 0
  let inside = false
  for (const { kind } of pieces) {
    if (kind !== 'same' && !inside) places++
    inside = kind !== 'same'
  }
  return places
}
