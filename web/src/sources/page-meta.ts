/** The metadata of a document: title, URL, language, description, canonical URL. */

import { plainLabel } from '../plain-label.ts'
import { isPrivateElement, redactUrl } from '../redact.ts'
import { all, attribute, ofDocument, rootElement } from './page-dom.ts'

/** The longest description. */
const maxDescription = 2000 // UTF-16 code units

/** The description of the document; `lossy` has JSON Pointers to values without their secrets. */
export function metaOf() {
  const lossy: string[] = []
  const link = (url: string | undefined, pointer: string) => {
    if (url === undefined) return undefined
    const clean = redactUrl(url)
    if (clean !== url) lossy.push(pointer)
    return clean
  }
  const described = all('meta[name=description i]').find((one) => !isPrivateElement(one))
  const description = described && attribute(described, 'content')
  const canonical = all('link[rel~=canonical]')[0]
  const meta = {
    title: plainLabel(ofDocument<string>('title')),
    url: link(globalThis.location.href, '/url'),
    language: attribute(rootElement(), 'lang'),
    description: description && plainLabel(description, maxDescription),
    canonical: link(canonical && absolute(attribute(canonical, 'href')), '/canonical'),
  }
  return { meta, lossy }
}

/** A reference as an absolute URL; `undefined`: it does not parse. */
function absolute(reference: string | undefined): string | undefined {
  const base = Reflect.get(Node.prototype, 'baseURI', document) as string
  if (reference === undefined || !URL.canParse(reference, base)) return undefined
  return new URL(reference, base).href
}
