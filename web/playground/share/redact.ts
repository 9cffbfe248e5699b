/**
 * Takes secrets out of what leaves the playground: links and files. It knows them by the names of their
 * members, and by their form where they are recognised by it. What it cannot know is shown before it leaves.
 */

import { isSecretHeader, isSecretMember, redactText as redactSecrets } from 'pagemcp/redaction'
import { type JsonNode, jsonTree } from '../protocol/json.ts'

/** What stands in the place of a secret. */
export const redacted = '[redacted]'

/** A text without what looks like a secret. */
export const redactText = (text: string): string => redactSecrets(text, redacted)

/** A frame without its secrets; every other character stays as it is. Frames that are no JSON are texts. */
export function redact(raw: string): string {
  const { root, errorAt } = jsonTree(raw)
  if (errorAt !== undefined || root === undefined) return redactText(raw)
  const cuts: { from: number; to: number; json: string }[] = []
  collect(root, raw, cuts)
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
): void {
  if (node.kind === 'string') {
    const text = redactText(node.text ?? '')
    if (text !== node.text) cuts.push({ from: node.from, to: node.to, json: JSON.stringify(text) })
  }
  for (const item of node.items ?? []) collect(item, raw, cuts)
  for (const { key, value } of node.members ?? []) {
    if (!value) continue
    if (isSecretMember(key.text ?? '') && isGiven(raw.slice(value.from, value.to))) {
      cuts.push({ from: value.from, to: value.to, json: JSON.stringify(redacted) })
    } else collect(value, raw, cuts)
  }
}

/** Whether a value is something: not nothing, and not a schema, which describes a password and is none. */
const isGiven = (json: string) =>
  !/^(""|\{\s*\}|\[\s*\]|null|true|false)$/.test(json) &&
  !(json.startsWith('{') && /"(type|description|\$ref)"/.test(json))

/** Headers without their secrets. */
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
