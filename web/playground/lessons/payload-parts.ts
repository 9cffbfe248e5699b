/** A message as indented JSON for an audience: long content is folded, and the members of a caption are marked. */

export interface Part {
  text: string
  marked: boolean
}

const maxText = 240 // UTF-16 code units of a string
const maxItems = 4 // of an array
const maxParts = 600 // of a message

/** The names that a caption writes as code, such as `uri`, `params.uri` or `"notes://today"`. */
export function namesIn(caption: string): Set<string> {
  const names = new Set<string>()
  for (const [i, code] of caption.split('`').entries()) {
    if (i % 2 === 0) continue
    const name = code.replace(/^"(.*)"$/, '$1')
    names.add(name)
    const last = /^\w+(?:\.\w+)*\.(\w+)$/.exec(name)?.[1]
    if (last !== undefined) names.add(last)
  }
  return names
}

/**
 * The parts of a message. A member is marked if its name is in `names`, a string also if it is one of them; of
 * an object or array only the name. `_meta` is folded unless it or a member of it is named.
 */
export function partsOf(raw: string, names: ReadonlySet<string>): readonly Part[] {
  let message: unknown
  try {
    message = JSON.parse(raw)
  } catch {
    return [{ text: raw.slice(0, 1000), marked: false }]
  }
  const parts: Part[] = []
  const put = (text: string, marked = false) => {
    const last = parts.at(-1)
    if (last?.marked === marked) last.text += text
    else if (parts.length < maxParts) parts.push({ text, marked })
  }
  const members = (value: object, indent: string, brackets: string) => {
    const isArray = Array.isArray(value)
    const all = Object.entries(value)
    if (all.length === 0) return put(brackets)
    const some = isArray ? all.slice(0, maxItems) : all
    put(`${brackets[0]}\n`)
    for (const [i, [name, own]] of some.entries()) {
      put(`${indent}  `)
      const marked = !isArray && names.has(name)
      if (!isArray) {
        put(JSON.stringify(name), marked)
        put(': ', marked && !isObject(own))
      }
      if (name === '_meta' && isObject(own) && !mentions(own, names) && !marked) put('{…}')
      else write(own, `${indent}  `, marked)
      put(i < all.length - 1 ? ',\n' : '\n')
    }
    if (some.length < all.length) put(`${indent}  … +${all.length - some.length}\n`)
    put(`${indent}${brackets[1]}`)
  }
  const write = (value: unknown, indent: string, marked: boolean) => {
    if (isObject(value)) members(value, indent, Array.isArray(value) ? '[]' : '{}')
    else if (typeof value !== 'string') put(JSON.stringify(value), marked)
    else {
      const cut = value.length > maxText ? `${value.slice(0, maxText)}…` : value
      put(JSON.stringify(cut), marked || names.has(value))
    }
  }
  write(message, '', false)
  return parts
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null

/** Whether an object has a named member, at any depth. */
const mentions = (value: object, names: ReadonlySet<string>): boolean =>
  Object.entries(value).some(
    ([name, own]) => names.has(name) || (isObject(own) && mentions(own, names)),
  )
