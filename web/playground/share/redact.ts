/**
 * Removes secrets from links and files. It recognises them by names of members and by form. The dialog shows
 * the content before it is shared, since other secrets cannot be recognised.
 */

import { isSecretHeader, isSecretMember, redactText as redactSecrets } from '../../src/secrets.ts'
import { type JsonNode, jsonTree } from '../protocol/json.ts'

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
  const cuts: { from: number; to: number; json: string }[] = []
  collect(root, raw, cuts, nested)
  let text = raw
  for (const { from, to, json } of cuts.toReversed()) {
    text = text.slice(0, from) + json + text.slice(to)
  }
  return text
}

function collect(
  node: JsonNode,
  raw: string,
  cuts: { from: number; to: number; json: string }[],
  nested: number,
): void {
  const replace = ({ from, to, text = '' }: JsonNode, safe: string) => {
    if (safe !== text) cuts.push({ from, to, json: JSON.stringify(safe) })
  }
  if (node.kind === 'string') {
    const { text = '' } = node
    // Tools and resources return JSON as text.
    const json = nested < maxNested && /^\s*[[{]/.test(text)
    replace(node, json ? redact(text, nested + 1) : redactText(text))
  }
  for (const item of node.items ?? []) collect(item, raw, cuts, nested)
  for (const { key, value } of node.members ?? []) {
    replace(key, redactText(key.text ?? ''))
    if (!value) continue
    if (isSecretMember(key.text ?? '') && isGiven(raw.slice(value.from, value.to))) {
      cuts.push({ from: value.from, to: value.to, json: JSON.stringify(redacted) })
    } else collect(value, raw, cuts, nested)
  }
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
