/**
 * Puts still WebP pictures together to an animated one. The container is RIFF: chunks of a name of four letters, a
 * length and contents. https://developers.google.com/speed/webp/docs/riff_container
 */

/** A rectangle of the picture from a moment on; the rest stays as it was. */
export interface Frame {
  /** Lossless still WebP of the rectangle, without alpha that matters. */
  webp: Uint8Array
  /** Position, even, and size, px. */
  x: number
  y: number
  width: number
  height: number
  /** How long it is shown, ms. */
  duration: number
}

/** Returns an animated WebP of the given size, which repeats without end. */
export function animatedWebp(width: number, height: number, frames: readonly Frame[]): Uint8Array {
  const animation = 0x02
  const header = bytes(10, (view) => {
    view.setUint8(0, animation)
    setUint24(view, 4, width - 1)
    setUint24(view, 7, height - 1)
  })
  const repeats = bytes(6, (view) => view.setUint32(0, 0xffffffff)) // white behind the frames, no last round
  const body = [chunk('VP8X', header), chunk('ANIM', repeats), ...frames.map(frameChunk)]
  return chunk('RIFF', concat([ascii('WEBP'), ...body]))
}

/** Returns the names of the chunks of a WebP file, each with its contents. */
export function chunksOf(webp: Uint8Array): { name: string; contents: Uint8Array }[] {
  const view = new DataView(webp.buffer, webp.byteOffset, webp.byteLength)
  const name = (at: number) => String.fromCharCode(...webp.subarray(at, at + 4))
  if (name(0) !== 'RIFF' || name(8) !== 'WEBP') throw new Error('this is no WebP file')
  const found = []
  for (let at = 12; at + 8 <= webp.length; ) {
    const length = view.getUint32(at + 4, true)
    found.push({ name: name(at), contents: webp.subarray(at + 8, at + 8 + length) })
    at += 8 + length + (length % 2)
  }
  return found
}

function frameChunk({ webp, x, y, width, height, duration }: Frame): Uint8Array {
  const image = chunksOf(webp).find(({ name }) => name === 'VP8L' || name === 'VP8 ')
  if (image === undefined) throw new Error('a frame has no picture')
  const doNotBlend = 0x02
  const header = bytes(16, (view) => {
    setUint24(view, 0, x / 2)
    setUint24(view, 3, y / 2)
    setUint24(view, 6, width - 1)
    setUint24(view, 9, height - 1)
    setUint24(view, 12, duration)
    view.setUint8(15, doNotBlend)
  })
  return chunk('ANMF', concat([header, chunk(image.name, image.contents)]))
}

/** Contents of odd length are followed by a byte that does not count. */
function chunk(name: string, contents: Uint8Array): Uint8Array {
  const length = bytes(4, (view) => view.setUint32(0, contents.length, true))
  return concat([ascii(name), length, contents, new Uint8Array(contents.length % 2)])
}

function bytes(length: number, fill: (view: DataView) => void): Uint8Array {
  const made = new Uint8Array(length)
  fill(new DataView(made.buffer))
  return made
}

function setUint24(view: DataView, at: number, value: number): void {
  view.setUint16(at, value & 0xffff, true)
  view.setUint8(at + 2, value >> 16)
}

const ascii = (text: string) => new TextEncoder().encode(text)

function concat(parts: readonly Uint8Array[]): Uint8Array {
  const all = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0))
  let at = 0
  for (const part of parts) {
    all.set(part, at)
    at += part.length
  }
  return all
}
