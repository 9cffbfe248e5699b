/**
 * Escapes for the formats that messages are copied as. Messages are untrusted: no character may end a
 * literal, a comment or a line, control the terminal that it is pasted into, or look like another one.
 */

/** All but spaces, letters, marks, digits, punctuation and symbols: controls, formats, separators. */
const invisible = /[^\x20\p{L}\p{M}\p{N}\p{P}\p{S}]/gu

const unit = (code: number) => `\\u${code.toString(16).padStart(4, '0')}`

/** Escapes as in JSON and JavaScript, by UTF-16 code units. */
export const escapeUnseen = (text: string): string =>
  text.replace(invisible, (character) =>
    Array.from({ length: character.length }, (_, i) => unit(character.charCodeAt(i))).join(''),
  )

/** A quoted word of a shell, for a text that {@link isVisible}. */
export const shellWord = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`

/** Whether a text has no invisible characters. */
export const isVisible = (text: string): boolean => text.search(invisible) < 0

/** A normalised URL; invisible characters are percent-encoded. */
export const visibleUrl = (url: string): string =>
  (URL.canParse(url) ? new URL(url).href : url.toWellFormed()).replace(
    invisible,
    encodeURIComponent,
  )

/**
 * The argument of `printf %b` for a text: octal escapes except for letters and digits. Shells cannot store
 * NUL, so it is omitted.
 */
export function printfBytes(text: string): string {
  let all = ''
  for (const byte of new TextEncoder().encode(text)) {
    const character = String.fromCharCode(byte)
    if (/[\w .,:;/{}[\]()"=+-]/.test(character)) all += character
    else if (byte !== 0) all += `\\0${byte.toString(8).padStart(3, '0')}`
  }
  return all
}
