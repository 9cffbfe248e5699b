/**
 * JSON with positions, also of a text that is not complete: one that is being typed rarely is. Offsets count UTF-16 code
 * units, as editors do.
 */

import {
  applyEdits,
  findNodeAtLocation,
  getLocation,
  modify,
  type Node,
  type ParseError,
  parseTree,
} from 'jsonc-parser'
import type { Path } from './validate.ts'

export type { Node } from 'jsonc-parser'

export interface Tree {
  root?: Node
  /** Offset of the first syntax error; undefined: valid JSON. */
  errorAt?: number
}

/** Parses a text. A value that is nested too deep is an error. */
export function jsonTree(source: string): Tree {
  const errors: ParseError[] = []
  try {
    const root = parseTree(source, errors, { disallowComments: true })
    return { root, errorAt: errors[0]?.offset }
  } catch {
    return { errorAt: 0 } // the parser's stack is full
  }
}

export const endOf = ({ offset, length }: Node): number => offset + length

/** The text of a node, as it is written. */
export const written = (source: string, node: Node): string =>
  source.slice(node.offset, endOf(node))

export const isStructure = (node: Node | undefined): boolean =>
  node?.type === 'object' || node?.type === 'array'

/** The value at a path. */
export const nodeAt = (root: Node | undefined, path: Path): Node | undefined =>
  root && findNodeAtLocation(root, [...path])

/** A position in a text. */
export interface Place {
  /** The path of the value; at a key, that of its object. */
  path: Path
  /** Whether a key is, or may be, written there. */
  key: boolean
  /** The value or key, if the offset is in it or at its end. */
  node?: Node
}

/** The position at an offset. Between values, it describes what may be inserted. */
export function placeAt(source: string, root: Node | undefined, offset: number): Place {
  const { path, isAtPropertyKey: key, previousNode } = getLocation(source, offset)
  const value = key ? undefined : nodeAt(root, path)
  const node = [previousNode, value].find(
    (one) => one && (one.offset === offset || (one.offset < offset && offset <= endOf(one))),
  )
  return { path: key ? path.slice(0, -1) : path, key, node }
}

/** Replaces one value by another JSON text; undefined if there is none at the path. */
export function replaceAt(source: string, path: Path, json: string): string | undefined {
  const node = nodeAt(jsonTree(source).root, path)
  return node && source.slice(0, node.offset) + json + source.slice(endOf(node))
}

/** Removes the id, which makes a request a notification. */
export const withoutId = (text: string): string =>
  nodeAt(jsonTree(text).root, ['id']) ? applyEdits(text, modify(text, ['id'], undefined, {})) : text
