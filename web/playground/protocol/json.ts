/**
 * A tolerant JSON parser with positions: text that is being typed is rarely complete. Offsets count UTF-16
 * code units, as editors do.
 */

import type { Path } from './validate.ts'

/** A value. Where it is incomplete, {@link Tree.errorAt} is set. */
export interface JsonNode {
  kind: 'object' | 'array' | 'string' | 'number' | 'word'
  from: number
  to: number
  /** The closing bracket of an object or array is missing. */
  open?: true
  /** Of an object. */
  members?: JsonMember[]
  /** Of an array. */
  items?: JsonNode[]
  /** The value of a string; of others undefined. */
  text?: string
}

export interface JsonMember {
  key: JsonNode
  /** Undefined if not typed yet. */
  value?: JsonNode
}

export interface Tree {
  root?: JsonNode
  /** Offset of the first syntax error; undefined: valid JSON. */
  errorAt?: number
}

/** Deeper values are not parsed: neither users nor the protocol need them. */
const maxDepth = 200 // levels

/** Parses a text in one pass. Never throws. */
export function jsonTree(source: string): Tree {
  let at = 0
  let errorAt: number | undefined
  const fail = () => {
    errorAt ??= at
  }
  const skip = () => {
    while (' \t\r\n'.includes(source[at] ?? 'x')) at++
  }

  function value(depth: number): JsonNode | undefined {
    skip()
    const char = source[at]
    if (depth > maxDepth) {
      fail()
      return undefined
    }
    if (char === '{') return object(depth)
    if (char === '[') return array(depth)
    if (char === '"') return string()
    const from = at
    while (at < source.length && !' \t\r\n,:{}[]"'.includes(source[at] as string)) at++
    const word = source.slice(from, at)
    if (word === '') {
      fail()
      return undefined
    }
    const number = /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/.test(word)
    if (!number && !['true', 'false', 'null'].includes(word)) errorAt ??= from
    return { kind: number ? 'number' : 'word', from, to: at }
  }

  function string(): JsonNode {
    const from = at++
    while (at < source.length && source[at] !== '"' && source[at] !== '\n') {
      at += source[at] === '\\' ? 2 : 1
    }
    at = Math.min(at, source.length)
    if (source[at] === '"') at++
    else fail()
    let text = source.slice(from + 1, at)
    try {
      text = JSON.parse(source.slice(from, at)) as string
    } catch {
      errorAt ??= from
    }
    return { kind: 'string', from, to: at, text }
  }

  function object(depth: number): JsonNode {
    const node: JsonNode = { kind: 'object', from: at++, to: at, members: [] }
    for (;;) {
      skip()
      if (source[at] === '}' || at >= source.length) break
      if (source[at] !== '"') {
        fail()
        break
      }
      const member: JsonMember = { key: string() }
      node.members?.push(member)
      skip()
      if (source[at] === ':') {
        at++
        member.value = value(depth + 1)
      } else fail()
      skip()
      if (source[at] === ',') {
        at++
        skip()
        if (source[at] === '}') fail()
      } else if (source[at] !== '}') break
    }
    return close(node, '}')
  }

  function array(depth: number): JsonNode {
    const node: JsonNode = { kind: 'array', from: at++, to: at, items: [] }
    for (;;) {
      skip()
      if (source[at] === ']' || at >= source.length) break
      const item = value(depth + 1)
      if (item === undefined) break
      node.items?.push(item)
      skip()
      if (source[at] === ',') {
        at++
        skip()
        if (source[at] === ']') fail()
      } else if (source[at] !== ']') break
    }
    return close(node, ']')
  }

  function close(node: JsonNode, bracket: string): JsonNode {
    if (source[at] === bracket) at++
    else {
      node.open = true
      fail()
    }
    node.to = at
    return node
  }

  const root = value(0)
  skip()
  if (at < source.length) fail()
  return { root, ...(errorAt !== undefined && { errorAt }) }
}

/** The value at a path. */
export function nodeAt(root: JsonNode | undefined, path: Path): JsonNode | undefined {
  let node = root
  for (const step of path) {
    node =
      typeof step === 'number'
        ? node?.items?.[step]
        : node?.members?.findLast(({ key }) => key.text === step)?.value
  }
  return node
}

/** A position in a text. */
export interface Place {
  /** The path of the value; at a key, that of its object. */
  path: Path
  /** Whether a key is, or may be, written there. */
  key: boolean
  /** The value or key, if there is one. */
  node?: JsonNode
  /** The member that the value belongs to. */
  member?: JsonMember
}

/** The position at an offset. Between values, it describes what may be inserted. */
export function placeAt(source: string, root: JsonNode | undefined, offset: number): Place {
  const path: (string | number)[] = []
  let node = root
  for (;;) {
    if (node?.kind === 'object') {
      const members = node.members ?? []
      const on = members.find(({ key }) => key.from <= offset && offset <= key.to)
      if (on) return { path, key: true, node: on.key, member: on }
      const inside = members.findLast(({ key }) => key.to < offset)
      if (inside) {
        const after = inside.value
        const between = source.slice(after?.to ?? inside.key.to, offset)
        const within = after && after.from <= offset && offset <= after.to
        if (within || (!between.includes(',') && (!after || offset < after.from))) {
          const colon = after ?? (source.slice(inside.key.to, offset).includes(':') || undefined)
          if (!colon) return { path, key: true, node: inside.key, member: inside }
          path.push(inside.key.text ?? '')
          if (!within) return { path, key: false, member: inside }
          if (after.kind !== 'object' && after.kind !== 'array') {
            return { path, key: false, node: after, member: inside }
          }
          if (offset === after.from || (offset === after.to && !after.open)) {
            return { path, key: false, node: after, member: inside }
          }
          node = after
          continue
        }
      }
      return { path, key: true }
    }
    if (node?.kind === 'array') {
      const items = node.items ?? []
      const i = items.findIndex(({ from, to }) => from <= offset && offset <= to)
      const on = items[i]
      path.push(on ? i : items.filter(({ to }) => to < offset).length)
      if (!on) return { path, key: false }
      if (on.kind === 'object' || on.kind === 'array') {
        node = on
        continue
      }
      return { path, key: false, node: on }
    }
    return { path, key: false, node }
  }
}

/** Replaces one value by another JSON text; undefined if there is none at the path. */
export function replaceAt(source: string, path: Path, json: string): string | undefined {
  const node = nodeAt(jsonTree(source).root, path)
  return node && source.slice(0, node.from) + json + source.slice(node.to)
}
