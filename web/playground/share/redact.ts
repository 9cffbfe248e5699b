/**
 * Takes secrets out of what leaves the playground: links and files. It knows them by the names of their
 * members, and by their form where they are recognised by it. What it cannot know is shown before it leaves.
 */

import { type JsonNode, jsonTree } from '../protocol/json.ts'

/** What stands in the place of a secret. */
export const redacted = '[redacted]'

/** Members whose values are secrets. `progressToken` is none; neither are cursors. */
const secretName =
  /^(proxy-)?authorization$|^(set-)?cookie$|(^|[-_ ])(api[-_]?key|apikey)$|^x-.*(key|token|secret)$|passw(or)?d|passphrase|secret|^(.*[-_])?(access|refresh|id|auth|bearer|session|csrf|xsrf|api)?[-_]?token$|private[-_]?key|^credentials?$|^env$|^mcp-session-id$/i

/**
 * Secrets by their form: schemes of HTTP authentication, JSON Web Tokens, and keys with known beginnings.
 * None begins within what it could match, and none is without limit where it may fail late: hostile texts
 * cost no more than others.
 */
const secretForm =
  /\b(Bearer|Basic)\s+[\w+/=.~-]{8,}|(?<![\w-])eyJ[\w-]{8,}\.[\w-]+\.[\w-]*|\b(sk|pk|rk|ghp|gho|ghs|github_pat|glpat|xox[abp])[-_][\w-]{12,}|\bAKIA[0-9A-Z]{16}\b/g

/** User and password of a URL, and parameters that are named like secrets. */
const inUrl =
  /(\b[a-z][a-z\d+.-]{0,20}:\/\/)[^\s/@"':]{0,200}:[^\s/@"']{0,200}@|([?&](?:access_token|token|api_?key|key|secret|password|sig|signature)=)[^&\s"'#]+/gi

const isSecretName = (name: string) =>
  name !== 'progressToken' && secretName.test(name.replace(/([a-z])([A-Z])/g, '$1_$2'))

/** A text without what looks like a secret. */
export const redactText = (text: string): string =>
  text
    .replace(secretForm, redacted)
    .replace(inUrl, (_, scheme?: string, parameter?: string) =>
      scheme ? scheme : `${parameter}${redacted}`,
    )

/** A frame without its secrets; every other character stays as it is. Frames that are no JSON are texts. */
export function redact(raw: string): string {
  const { root, broken } = jsonTree(raw)
  if (broken !== undefined || root === undefined) return redactText(raw)
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
    if (isSecretName(key.text ?? '') && isGiven(raw.slice(value.from, value.to))) {
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
      isSecretName(name) ? redacted : redactText(value),
    ]),
  )
}
