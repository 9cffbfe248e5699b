/** Formats bytes: offset, hexadecimal, and printable characters. */

/** Bytes of a line. */
const wide = 16

/**
 * @param from - first byte, a multiple of 16
 * @param count - how many bytes
 */
export function hexLines(bytes: Uint8Array, from = 0, count = bytes.length - from): string[] {
  const lines: string[] = []
  const end = Math.min(bytes.length, from + count)
  for (let at = from; at < end; at += wide) {
    const line = bytes.subarray(at, Math.min(end, at + wide))
    const hex = Array.from(line, (byte) => byte.toString(16).padStart(2, '0')).join(' ')
    const text = Array.from(line, (byte) =>
      byte >= 0x20 && byte < 0x7f ? String.fromCharCode(byte) : '·',
    ).join('')
    lines.push(`${at.toString(16).padStart(8, '0')}  ${hex.padEnd(wide * 3 - 1)}  ${text}`)
  }
  return lines
}

/** Index of the first difference of two byte strings; -1: none. */
export function firstDifference(a: Uint8Array, b: Uint8Array): number {
  const shorter = Math.min(a.length, b.length)
  for (let at = 0; at < shorter; at++) if (a[at] !== b[at]) return at
  return a.length === b.length ? -1 : shorter
}

/** SHA-256 in hexadecimal; `''` without https, where browsers have no hashes. */
export async function sha256(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  const subtle = globalThis.crypto?.subtle
  if (!subtle) return ''
  const hash = new Uint8Array(await subtle.digest('SHA-256', bytes))
  return Array.from(hash, (byte) => byte.toString(16).padStart(2, '0')).join('')
}
