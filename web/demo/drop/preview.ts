/** What a file contains, as far as it can be shown: the beginning of its text, or an image. */

import { make } from '../shared/page.ts'
import { say } from '../shared/texts.ts'
import { sizeText } from './sizes.ts'
import { texts } from './texts.ts'

/** How much text is shown. */
const maxText = 4096 // bytes

const image = /\.(?:png|jpe?g|gif|webp|avif)$/i // not SVG, which could load more

/** @returns the preview; its image, if any, has a URL that `signal` revokes */
export async function preview(file: File, signal: AbortSignal): Promise<HTMLElement[]> {
  if (file.size === 0) return [make('p', 'soft', texts.emptyFile)]
  if (image.test(file.name)) {
    const url = URL.createObjectURL(file)
    signal.addEventListener('abort', () => URL.revokeObjectURL(url))
    const shown = document.createElement('img')
    shown.src = url
    shown.alt = file.name
    return [make('p', 'soft', texts.preview), shown]
  }
  const text = decoded(await file.slice(0, maxText).arrayBuffer(), file.size > maxText)
  if (text === undefined) return [make('p', 'soft', texts.binary)]
  const cut = say(texts.cut, { size: sizeText(maxText), all: sizeText(file.size) })
  return [
    make('p', 'soft', texts.preview),
    make('pre', '', text),
    ...(file.size > maxText ? [make('p', 'soft', cut)] : []),
  ]
}

/**
 * The text of UTF-8 bytes, or `undefined` if they are something else.
 *
 * @param isCut - the last character may be incomplete
 */
export function decoded(bytes: ArrayBuffer, isCut: boolean): string | undefined {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: isCut })
    return text.includes('\0') ? undefined : text
  } catch {
    return undefined
  }
}
