/**
 * The smallest set of removals and additions between two lists.
 * E. W. Myers, "An O(ND) Difference Algorithm and Its Variations", 1986.
 */

export interface Change {
  kind: 'same' | 'removed' | 'added'
  /** Index in the old list; of an addition, where it was inserted. */
  a: number
  /** Index in the new list; of a removal, where the items were. */
  b: number
  count: number
}

/** Lists that differ more are reported as replaced: the cost grows with the square. */
const maxEdits = 1200

/** Items are equal by `===`. */
export function diffLists<T>(a: readonly T[], b: readonly T[]): Change[] {
  let head = 0
  while (head < a.length && head < b.length && a[head] === b[head]) head++
  let tail = 0
  while (
    tail < a.length - head &&
    tail < b.length - head &&
    a[a.length - 1 - tail] === b[b.length - 1 - tail]
  ) {
    tail++
  }
  const changes: Change[] = []
  add(changes, 'same', 0, 0, head)
  middle(changes, a.slice(head, a.length - tail), b.slice(head, b.length - tail), head)
  add(changes, 'same', a.length - tail, b.length - tail, tail)
  return changes
}

function add(changes: Change[], kind: Change['kind'], a: number, b: number, count: number) {
  if (count === 0) return
  const last = changes.at(-1)
  if (last?.kind === kind) last.count += count
  else changes.push({ kind, a, b, count })
}

/** Between two equal runs, removals come before additions. */
function middle<T>(changes: Change[], a: readonly T[], b: readonly T[], shift: number) {
  let x = 0 // reported so far
  let y = 0
  let toX = 0 // to report as removed and added
  let toY = 0
  const tell = () => {
    add(changes, 'removed', shift + x, shift + y, toX - x)
    add(changes, 'added', shift + toX, shift + y, toY - y)
    x = toX
    y = toY
  }
  for (const [stepX, stepY] of path(a, b) ?? []) {
    // A step is at most one removal or addition, then an equal run.
    const run = Math.min(stepX - toX, stepY - toY)
    toX = stepX - run
    toY = stepY - run
    if (run === 0) continue
    tell()
    add(changes, 'same', shift + x, shift + y, run)
    x = toX = stepX
    y = toY = stepY
  }
  toX = a.length
  toY = b.length
  tell()
}

/** Positions after each edit; undefined if there are too many. */
function path<T>(a: readonly T[], b: readonly T[]): [number, number][] | undefined {
  const most = Math.min(a.length + b.length, maxEdits)
  const origin = most + 1
  const furthest = new Int32Array(2 * most + 3) // x by diagonal
  const before: Int32Array[] = []
  for (let edits = 0; edits <= most; edits++) {
    before.push(furthest.slice(origin - edits - 1, origin + edits + 2))
    for (let k = -edits; k <= edits; k += 2) {
      const down =
        k === -edits || (k !== edits && at(furthest, origin + k - 1) < at(furthest, origin + k + 1))
      let x = down ? at(furthest, origin + k + 1) : at(furthest, origin + k - 1) + 1
      while (x < a.length && x - k < b.length && a[x] === b[x - k]) x++
      furthest[origin + k] = x
      if (x >= a.length && x - k >= b.length) return walkBack(before, a.length, b.length)
    }
  }
  return undefined
}

const at = (numbers: Int32Array, index: number) => numbers[index] as number

function walkBack(before: readonly Int32Array[], endX: number, endY: number): [number, number][] {
  const steps: [number, number][] = []
  let x = endX
  let y = endY
  for (let edits = before.length - 1; edits > 0; edits--) {
    steps.push([x, y])
    const furthest = before[edits] as Int32Array
    const k = x - y
    const middle = edits + 1 // where diagonal 0 is
    const down =
      k === -edits || (k !== edits && at(furthest, middle + k - 1) < at(furthest, middle + k + 1))
    const from = down ? k + 1 : k - 1
    x = at(furthest, middle + from)
    y = x - from
  }
  if (x > 0 || y > 0) steps.push([x, y])
  return steps.reverse()
}
