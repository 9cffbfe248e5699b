/** What values look like as text: short, bounded, without secrets, and without running getters. */

import { isSecretData, redacted, redactText } from '../redact.ts'

const maxText = 1_000 // UTF-16 code units of one string
const maxItems = 100 // of one object or list

/**
 * A copy of a value that JSON can write, without secrets: members with an `isSecretData` name are `redacted`, and so are
 * secrets within texts. Getters are not called: `(…)` stands for them, as in the tools of browsers.
 *
 * @param depth - levels of objects; deeper ones are named only
 * @param room - what may still be written, UTF-16 code units
 */
export function plainOf(
  value: unknown,
  depth: number,
  room: { left: number },
  above: readonly object[] = [],
): unknown {
  if (typeof value === 'string') {
    const kept = value.slice(0, Math.max(0, Math.min(maxText, room.left)))
    room.left -= kept.length
    return redactLog(kept) + (kept.length < value.length ? '…' : '')
  }
  room.left -= 8
  if (value === null || typeof value === 'boolean' || Number.isFinite(value)) return value
  if (typeof value === 'function') return `[function ${ownText(value, 'name')}]`
  if (typeof value !== 'object') return String(value) // undefined, NaN, bigint, symbol
  if (above.includes(value)) return '[circular]'
  if (value instanceof Error) return redactLog(cut(errorText(value)))
  if (value instanceof Date) return Number.isNaN(+value) ? 'Invalid Date' : value.toISOString()
  if (globalThis.Element && value instanceof Element) return `<${value.localName}>`
  if (depth === 0 || room.left <= 0) return `[${className(value)}]`
  const copy = (one: unknown) => plainOf(one, depth - 1, room, [...above, value])
  const isFull = (count: number) => count >= maxItems || room.left <= 0
  if (Array.isArray(value) || value instanceof Set || value instanceof Map) {
    const items: unknown[] = []
    for (const item of value) {
      items.push(isFull(items.length) ? '…' : copy(item))
      if (isFull(items.length)) break
    }
    return items
  }
  const members: [string, unknown][] = []
  for (const key of Object.keys(value)) {
    if (isFull(members.length)) break
    room.left -= key.length
    const described = Object.getOwnPropertyDescriptor(value, key)
    const shown = () => (described && 'value' in described ? copy(described.value) : '(…)')
    members.push([key, isSecretData(key) ? redacted : shown()])
  }
  return Object.fromEntries(members)
}

/** The arguments of a log function as one line, with their placeholders filled in. See the Console Standard, Formatter. */
export function logText(args: readonly unknown[]): string {
  const room = { left: maxText }
  const shown = (value: unknown): string => {
    if (typeof value === 'string') return cut(value)
    const plain = plainOf(value, 3, room)
    return typeof plain === 'string' ? plain : JSON.stringify(plain)
  }
  const rest = [...args]
  const parts: string[] = []
  if (typeof rest[0] === 'string' && rest[0].includes('%')) {
    const filled = cut(rest.shift() as string).replace(/%([sdifoOc%])/g, (whole, kind) => {
      if (kind === '%' || rest.length === 0) return kind === '%' ? '%' : whole
      const value = rest.shift()
      return kind === 'c' ? '' : shown(value)
    })
    parts.push(filled)
  }
  for (const value of rest) {
    const isSecret = typeof value === 'string' && isLabel(parts.at(-1) ?? '')
    parts.push(isSecret ? redacted : shown(value))
  }
  return cut(parts.join(' '))
}

/** A copy: a part of a string would keep the whole of it in memory. */
const cut = (text: string) =>
  text.length <= maxText ? text : `${Array.from(text.slice(0, maxText)).join('')}…`

/** Whether the next argument is the secret that this one names: `log('token', token)`. */
function isLabel(text: string): boolean {
  const [, name] = /([\w$.-]{1,64})\s*[:=]?\s*$/.exec(text.slice(-80)) ?? []
  return name !== undefined && isSecretData(name)
}

/** A name, what assigns, and a value: `password: x`, `"token":"x"`, `#access_token=x`. */
const assignment =
  /\b([\w$.-]{1,64}\\*["']?\s*[:=]\s*\\*)("(?:[^"\\]|\\.)*"?|'(?:[^'\\]|\\.)*'?|[^\s"',;&)\]}]+)/g

/** A text of a log without secrets: those of {@link redactText}, and what follows their names. Take it short. */
export function redactLog(text: string): string {
  const named = (inside: string): string =>
    inside.replace(assignment, (_, before: string, value: string) => {
      const quote = /^["']/.exec(value)?.[0] ?? ''
      const isSecret = isSecretData(/^[\w$.-]+/.exec(before)?.[0] ?? '')
      return before + (isSecret ? quote + redacted + quote : named(value))
    })
  return named(redactText(text, redacted))
}

/** The name and message of an error, whatever it is, and of its causes. */
export function errorText(error: unknown, depth = 3): string {
  if (typeof error !== 'object' || error === null) return String(error)
  if (error instanceof DOMException) return `${error.name}: ${error.message}`
  const message = ownText(error, 'message')
  if (!(error instanceof Error)) {
    return message || JSON.stringify(plainOf(error, 2, { left: maxText }))
  }
  const text = [className(error), message].filter(Boolean).join(': ')
  const hasCause = depth > 0 && error.cause !== undefined && error.cause !== null
  return hasCause ? `${text}; cause: ${errorText(error.cause, depth - 1)}` : text
}

/** A member that is a text, without calling a getter of the object. */
function ownText(of: object, name: string): string {
  const value = Object.getOwnPropertyDescriptor(of, name)?.value
  return typeof value === 'string' ? value : ''
}

function className(of: object): string {
  const made = Object.getOwnPropertyDescriptor(Object.getPrototypeOf(of) ?? {}, 'constructor')
  return (typeof made?.value === 'function' && ownText(made.value, 'name')) || 'Object'
}
