/** Expands URI templates: RFC 6570, all four levels. */

/** The value of a variable; undefined values, and empty lists and objects, are left out. */
export type Variable =
  | string
  | number
  | boolean
  | readonly (string | number | boolean)[]
  | { readonly [name: string]: string | number | boolean }
  | undefined

/** The output of an operator: prefix, separator, names, and whether reserved characters stay. */
interface Style {
  first: string
  between: string
  named: boolean
  /** Between a name and an empty value. */
  empty: string
  reserved: boolean
}

const style = (first: string, between: string, named = false, empty = '', reserved = false) => ({
  first,
  between,
  named,
  empty,
  reserved,
})

/** RFC 6570, appendix A. */
const styles = (): Record<string, Style> => ({
  '': style('', ','),
  '+': style('', ',', false, '', true),
  '#': style('#', ',', false, '', true),
  '.': style('.', '.'),
  '/': style('/', '/'),
  ';': style(';', ';', true),
  '?': style('?', '&', true, '='),
  '&': style('&', '&', true, '='),
})

const expression = /\{([+#.\/;?&]?)([^{}]*)\}/g
/** RFC 6570, section 2.3: dots stand between parts of a name. */
const variable =
  /^((?:[A-Za-z0-9_]|%[0-9A-Fa-f]{2})+(?:\.(?:[A-Za-z0-9_]|%[0-9A-Fa-f]{2})+)*)(?::([1-9][0-9]{0,3})|(\*))?$/

/**
 * Expands a URI template: `expand('notes://tag/{tag}', { tag: 'a b' })` is `notes://tag/a%20b`.
 * Characters are percent-encoded as UTF-8; lone surrogates become U+FFFD.
 *
 * @throws TypeError if the template is not one by RFC 6570
 * @see https://www.rfc-editor.org/rfc/rfc6570
 */
export function expand(template: string, variables: { readonly [name: string]: Variable }): string {
  let expanded = ''
  let past = 0
  for (const found of template.matchAll(expression)) {
    expanded += literal(template, past, found.index)
    expanded += expandOne(template, found[1] as string, found[2] as string, variables)
    past = found.index + found[0].length
  }
  return expanded + literal(template, past, template.length)
}

function literal(template: string, from: number, to: number): string {
  const text = template.slice(from, to)
  if (/[{}]/.test(text)) throw new TypeError(`${template} is not a URI template: unmatched brace`)
  return encode(text, true)
}

function expandOne(
  template: string,
  operator: string,
  list: string,
  variables: { readonly [name: string]: Variable },
): string {
  const how = styles()[operator] as Style
  const parts: string[] = []
  for (const each of list.split(',')) {
    const [, name, prefix, star] = variable.exec(each) ?? []
    if (name === undefined) throw new TypeError(`${template} is not a URI template: {${each}}`)
    const value = Object.hasOwn(variables, name) ? variables[name] : undefined
    if (value === undefined || value === null) continue
    if (typeof value !== 'object') {
      const text = [...String(value)].slice(0, prefix ? Number(prefix) : undefined).join('')
      parts.push(pair(how, name, encode(text, how.reserved)))
    } else if (prefix !== undefined) {
      throw new TypeError(`${template}: {${each}} accepts strings only`)
    } else {
      parts.push(...composite(how, name, value, star !== undefined))
    }
  }
  return parts.length === 0 ? '' : how.first + parts.join(how.between)
}

/** A list or an associative array. */
function composite(how: Style, name: string, value: object, explode: boolean): string[] {
  const write = (part: unknown) => encode(String(part), how.reserved)
  const entries = Object.entries(value).filter(([, part]) => part !== undefined && part !== null)
  if (entries.length === 0) return []
  if (Array.isArray(value)) {
    const all = entries.map(([, part]) => write(part))
    return explode ? all.map((part) => pair(how, name, part)) : [pair(how, name, all.join(','))]
  }
  if (!explode) {
    return [pair(how, name, entries.map(([key, part]) => `${write(key)},${write(part)}`).join(','))]
  }
  return entries.map(([key, part]) => {
    const text = write(part)
    return text === '' && how.named ? write(key) + how.empty : `${write(key)}=${text}`
  })
}

function pair(how: Style, name: string, text: string): string {
  if (!how.named) return text
  return text === '' ? name + how.empty : `${name}=${text}`
}

/** Percent-encodes; with `reserved`, leaves reserved characters and percent-encoded triplets. */
function encode(text: string, reserved: boolean): string {
  const whole = text.toWellFormed()
  if (!reserved) return whole.replace(/[^A-Za-z0-9\-._~]+/g, (part) => octets(part))
  return whole.replace(/%[0-9A-Fa-f]{2}|[^A-Za-z0-9\-._~:\/?#[\]@!$&'()*+,;=]/gu, (part) =>
    part.length === 3 && part.startsWith('%') ? part : octets(part),
  )
}

function octets(text: string): string {
  return encodeURIComponent(text).replace(
    /[!'()*]/g,
    (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`,
  )
}
