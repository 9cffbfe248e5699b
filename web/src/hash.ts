/**
 * Hashes as versions of contents: four lanes of 32 bits over the bytes (of text: UTF-8), each fed every fourth word, as in
 * xxHash. Every step can be undone, so that one changed word always changes the version; they protect
 * nothing. Text goes through encodeInto, for one charCodeAt costs as much as hashing eight bytes.
 */

const p1 = 0x9e3779b1 | 0
const p2 = 0x85ebca77 | 0

/** The size of a block of the hash. */
const chunk = 16 << 10 // UTF-16 code units, or bytes
const scratch = new Uint8Array(3 * chunk + 4)
const words = new Int32Array(scratch.buffer)
const encoder = new TextEncoder()

let a = 0
let b = 0
let c = 0
let d = 0

/** The hash of a text. */
export function hashText(text: string): string {
  begin(0x13198a2e)
  if (text.length <= chunk) {
    mix(encoder.encodeInto(text, scratch).written)
  } else {
    for (let from = 0; from < text.length; ) {
      let to = from + chunk
      if ((text.charCodeAt(to - 1) & 0xfc00) === 0xd800) to++ // not between two surrogates
      mix(encoder.encodeInto(text.slice(from, to), scratch).written)
      from = to
    }
  }
  return digest(text.length)
}

/** The hash of bytes. */
export function hashBytes(bytes: Uint8Array<ArrayBuffer>): string {
  begin(0x03707344)
  for (let from = 0; from < bytes.length; from += chunk) {
    const part = bytes.subarray(from, from + chunk)
    scratch.set(part)
    mix(part.length)
  }
  return digest(bytes.length)
}

function begin(seed: number) {
  a = 0x243f6a88
  b = 0x05a308d3
  c = seed
  d = ~seed
}

/** Mixes the scratch block into the accumulators. */
function mix(bytes: number) {
  scratch.fill(0, bytes, bytes + 4) // the last word is padded
  const count = (bytes + 3) >> 2
  const blocks = count - (count % 4)
  let e = a // variables of the function are in registers
  let f = b
  let g = c
  let h = d
  let i = 0
  for (; i < blocks; i += 4) {
    e = step(e, words[i] as number)
    f = step(f, words[i + 1] as number)
    g = step(g, words[i + 2] as number)
    h = step(h, words[i + 3] as number)
  }
  if (i < count) e = step(e, words[i++] as number)
  if (i < count) f = step(f, words[i++] as number)
  if (i < count) g = step(g, words[i] as number)
  a = e
  b = f
  c = g
  d = h
}

function step(accumulator: number, word: number): number {
  const mixed = Math.imul(accumulator ^ word, p1)
  return mixed ^ (mixed >>> 15)
}

/** 60 bits of the lanes, as two numbers: small ones become text ten times faster than large ones, or hexadecimal ones. */
function digest(length: number): string {
  let high = Math.imul(a ^ ((c << 13) | (c >>> 19)) ^ length, p2)
  let low = Math.imul(b ^ ((d << 13) | (d >>> 19)) ^ length, p2)
  high ^= high >>> 16
  low = Math.imul(low ^ (low >>> 15) ^ high, p1)
  high = (high + low) | 0
  return `${high >>> 2}-${low >>> 2}`
}
