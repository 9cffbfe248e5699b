/** The metadata of a document: title, URL, language, description, canonical URL, JSON-LD. */

import { plainLabel } from '../plain-label.ts'
import { isPrivateElement, redacted, redactUrl } from '../redact.ts'
import { isSecretName, isSecretValue } from '../secrets.ts'
import type { Json } from '../source.ts'
import { all, attribute, ofDocument, rootElement } from './page-dom.ts'

/** The longest description. */
const maxDescription = 2000 // UTF-16 code units

/** How deep JSON-LD may be nested. */
const maxDepth = 64

/** The description of the document; `lossy` has JSON Pointers to removed values. */
export function metaOf() {
  const lossy: string[] = []
  const link = (url: string | undefined, pointer: string) => {
    if (url === undefined) return undefined
    const clean = redactUrl(url)
    if (clean !== url) lossy.push(pointer)
    return clean
  }
  const content = (selector: string) => {
    const found = all(selector).find((element) => !isPrivateElement(element))
    return found && attribute(found, 'content')
  }
  const canonical = all('link[rel~=canonical]')[0]
  const description = content('meta[name=description i]')
  const jsonLd: Json[] = []
  for (const script of all('script[type="application/ld+json" i]')) {
    if (isPrivateElement(script)) continue
    const text = Reflect.get(Node.prototype, 'textContent', script) as string
    jsonLd.push(parsed(text, `/jsonLd/${jsonLd.length}`, lossy))
  }
  const meta = {
    title: plainLabel(ofDocument<string>('title')),
    url: link(globalThis.location.href, '/url'),
    language: attribute(rootElement(), 'lang'),
    description: description && plainLabel(description, maxDescription),
    canonical: link(canonical && absolute(attribute(canonical, 'href')), '/canonical'),
    jsonLd: jsonLd.length > 0 ? jsonLd : undefined,
  }
  return { meta, lossy }
}

/** A reference as an absolute URL; `undefined`: it does not parse. */
export function absolute(reference: string | undefined): string | undefined {
  if (reference === undefined) return undefined
  const base = Reflect.get(Node.prototype, 'baseURI', document) as string
  return URL.canParse(reference, base) ? new URL(reference, base).href : undefined
}

/** JSON-LD without secrets; text that is not JSON becomes null, and is lossy. */
function parsed(text: string, pointer: string, lossy: string[]): Json {
  try {
    return cleaned(JSON.parse(text), pointer, lossy, 0)
  } catch {
    lossy.push(pointer)
    return null
  }
}

function cleaned(value: Json, pointer: string, lossy: string[], depth: number): Json {
  const lose = (instead: Json) => {
    lossy.push(pointer)
    return instead
  }
  if (typeof value === 'string') {
    if (isSecretValue(value)) return lose(redacted)
    if (!/^\s*(?:[a-z][a-z0-9+.-]*:|\/|\?)/i.test(value)) return value
    const clean = redactUrl(value)
    return clean === value ? value : lose(clean)
  }
  if (typeof value !== 'object' || value === null) return value
  if (depth === maxDepth) return lose(null)
  if (Array.isArray(value)) {
    return value.map((part, i) => cleaned(part, `${pointer}/${i}`, lossy, depth + 1))
  }
  const copy: { [name: string]: Json } = {}
  for (const [name, part] of Object.entries(value)) {
    const below = `${pointer}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`
    // A postalCode is no secret.
    const secret = typeof part === 'string' && isSecretName(name) && !/code/i.test(name)
    const left = secret ? redacted : cleaned(part, below, lossy, depth + 1)
    if (secret) lossy.push(below)
    Object.defineProperty(copy, name, {
      value: left,
      enumerable: true,
      configurable: true,
      writable: true,
    })
  }
  return copy
}
