import { toBase64 } from './contents.ts'

/** Base64url without padding (RFC 4648, section 5). */
export function toBase64Url(bytes: Uint8Array<ArrayBuffer>): string {
  return toBase64(bytes).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')
}

/** @throws a `DOMException` named `InvalidCharacterError` for other text */
export function fromBase64Url(text: string): Uint8Array<ArrayBuffer> {
  const binary = atob(text.replaceAll('-', '+').replaceAll('_', '/'))
  return Uint8Array.from(binary, (character) => character.charCodeAt(0))
}
