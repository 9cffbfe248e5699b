/** The shape of testdata/uris.json, and what its descriptions stand for. Also runs in browsers. */

export type KeyCase =
  | { number: string }
  | { string: string }
  | { utf16: number[] }
  | { date: number }
  | { bytes: string }
  | { array: KeyCase[] }

export interface UriTable {
  keys: { key: KeyCase; text: string; segment: string }[]
  same: { key: KeyCase; text: string }[]
  spellings: { segment: string; text: string }[]
  refused: string[]
  names: (NameCase & { segment: string })[]
}

export type NameCase = { name: string } | { utf16: number[] }

export function makeKey(key: KeyCase): IDBValidKey {
  if ('number' in key) return Number(key.number)
  if ('string' in key) return key.string
  if ('utf16' in key) return String.fromCharCode(...key.utf16)
  if ('date' in key) return new Date(key.date)
  if ('array' in key) return key.array.map(makeKey)
  const bytes = key.bytes.match(/../g) ?? []
  return Uint8Array.from(bytes, (byte) => Number.parseInt(byte, 16)).buffer
}

export function makeName(name: NameCase): string {
  return 'name' in name ? name.name : String.fromCharCode(...name.utf16)
}
