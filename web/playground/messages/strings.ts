/** Strings of many rows: their numbers, and their sizes. */

/** Interns strings: there are few methods and URIs in many rows. */
export class StringTable {
  readonly list: string[] = ['']
  readonly #numbers = new Map<string, number>([['', 0]])

  number(word: string): number {
    const known = this.#numbers.get(word)
    if (known !== undefined) return known
    this.#numbers.set(word, this.list.length)
    return this.list.push(word) - 1
  }
}

/** Bytes of UTF-8, without encoding. */
export function byteLength(text: string): number {
  let bytes = text.length
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i)
    if (unit < 0x80) continue
    bytes += unit < 0x800 || (unit >= 0xd800 && unit < 0xe000) ? 1 : 2
  }
  return bytes
}
