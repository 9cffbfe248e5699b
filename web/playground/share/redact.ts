/**
 * Removes secrets from links and files. It recognises them by names of members and by form. The dialog shows
 * the content before it is shared, since other secrets cannot be recognised.
 */

import { isSecretHeader, isSecretMember, redactText as redactSecrets } from '../../src/redact.ts'
import { endOf, jsonTree, type Node, written } from '../protocol/json.ts'

/** Replaces a secret. */
export const redacted = '[redacted]'

/** Removes possible secrets from a text. */
export const redactText = (text: string): string => redactSecrets(text, redacted)

/** JSON in a string of JSON in a string: deeper it is treated as plain text. */
const maxNested = 4

/**
 * Removes secrets from a message; all other characters stay. Text that is not JSON is treated as plain text.
 *
 * @param nested - in how many strings the text is
 */
export function redact(raw: string, nested = 0): string {
  const { root, errorAt } = jsonTree(raw)
  if (errorAt !== undefined || root === undefined) return redactText(raw)
  const cuts: [Node, string][] = []
  collect(root, raw, cuts, nested)
  let text = raw
  for (const [node, safe] of cuts.toReversed()) {
    text = text.slice(0, node.offset) + JSON.stringify(safe) + text.slice(endOf(node))
  }
  return text
}

function collect(node: Node, raw: string, cuts: [Node, string][], nested: number): void {
  if (node.type === 'string') {
    const text: string = node.value
    // Tools and resources return JSON as text.
    const json = nested < maxNested && /^\s*[[{]/.test(text)
    const safe = json ? redact(text, nested + 1) : redactText(text)
    if (safe !== text) cuts.push([node, safe])
  }
  const [key, value] = node.children ?? []
  if (node.type === 'property' && key && value && isSecretMember(key.value)) {
    collect(key, raw, cuts, maxNested)
    if (isGiven(written(raw, value))) cuts.push([value, redacted])
    else collect(value, raw, cuts, nested)
  } else for (const child of node.children ?? []) collect(child, raw, cuts, nested)
}

/**
 * Whether a value may be a secret: not empty, and not a schema, which describes a password without containing
 * one.
 */
const isGiven = (json: string) =>
  !/^(""|\{\s*\}|\[\s*\]|null|true|false)$/.test(json) &&
  !(json.startsWith('{') && /"(type|description|\$ref)"/.test(json))

/** Removes secrets from headers. */
export function redactHeaders(
  headers: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name,
      isSecretHeader(name) ? redacted : redactText(value),
    ]),
  )
}
