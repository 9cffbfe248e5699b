/** How the name of an assistant is shown. Names come from gateways and from clients: they are data. */

import { plainLabel } from '../plain-label.ts'
import { fill, languageOf } from '../translation.ts'
import { type Texts, textsIn } from './texts.ts'

/** The most of a name that is shown. */
const maxName = 64 // UTF-16 code units

/** Principals of a gateway that knows no name, and the one that the engine uses for them. */
const unnamed = ['unnamed', 'token', 'stdio', 'anyone', '']

/** Whether the gateway vouches for a name. */
export const isNamed = (assistant: string): boolean => !unnamed.includes(assistant)

/** The name of an assistant for its user: on one line, bounded, without characters that reorder text. */
export function nameOf(assistant: string, texts: Texts): string {
  if (!isNamed(assistant)) {
    const hasWay = assistant === 'token' || assistant === 'stdio'
    return hasWay ? fill(texts.unnamedBy, { way: assistant }) : texts.unnamed
  }
  if (assistant === 'webmcp') return texts.browser
  return plainLabel(assistant.replace(/^client:/, ''), maxName) || texts.unnamed
}

/**
 * The name of an assistant for its user, on one line: without characters that reorder or hide text, and at most 64
 * UTF-16 code units. Identities without a name, such as `token`, get words.
 *
 * @param assistant - of {@link AssistantAccess}
 * @param language - a tag of BCP 47; texts are in English, German, Japanese and Chinese. Default: that of the browser
 */
export function assistantName(assistant: string, language: string = navigator.language): string {
  return nameOf(assistant, textsIn(languageOf([language])))
}

/** What a client says of itself, if that adds something. */
export function callsItself(assistant: string, name: string | undefined): string | undefined {
  const plain = plainLabel(name ?? '', maxName)
  return plain === '' || plain === assistant ? undefined : plain
}
