/** The moving picture of the README and the documentation, and how it is put together. */

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { animatedWebp, chunksOf } from '../../picture/animation.ts'

/** A still WebP whose compressed picture is the given bytes. */
function still(...picture: number[]): Uint8Array {
  const padding = picture.length % 2 === 1 ? [0] : []
  const body = [...'WEBPVP8L'].map((letter) => letter.charCodeAt(0))
  body.push(picture.length, 0, 0, 0, ...picture, ...padding)
  return Uint8Array.from([82, 73, 70, 70, body.length, 0, 0, 0, ...body]) // RIFF
}

const uint24 = (bytes: Uint8Array, at: number) =>
  (bytes[at] ?? 0) | ((bytes[at + 1] ?? 0) << 8) | ((bytes[at + 2] ?? 0) << 16)

/** What a frame says of itself. */
const frameOf = (contents: Uint8Array) => ({
  x: uint24(contents, 0) * 2,
  y: uint24(contents, 3) * 2,
  width: uint24(contents, 6) + 1,
  height: uint24(contents, 9) + 1,
  duration: uint24(contents, 12),
})

test('frames keep their rectangles, durations and compressed pictures', () => {
  const first = { x: 0, y: 0, width: 300, height: 200, duration: 70_000 }
  const second = { x: 258, y: 6, width: 40, height: 1, duration: 50 }
  const webp = animatedWebp(300, 200, [
    { ...first, webp: still(1, 2, 3) },
    { ...second, webp: still(4, 5) },
  ])
  assert.equal(webp.length % 2, 0)
  assert.equal(new DataView(webp.buffer).getUint32(4, true), webp.length - 8)
  const [extended, repeats, ...frames] = chunksOf(webp)
  assert.equal(extended?.name, 'VP8X')
  assert.deepEqual([...(extended?.contents ?? [])], [2, 0, 0, 0, 299 % 256, 1, 0, 199, 0, 0])
  assert.equal(repeats?.name, 'ANIM')
  assert.deepEqual([...(repeats?.contents.subarray(4) ?? [])], [0, 0]) // without end
  assert.deepEqual(
    frames.map(({ contents }) => frameOf(contents)),
    [first, second],
  )
  const pictures = frames.map(({ contents }) => [...contents.subarray(16)])
  const name = [...'VP8L'].map((letter) => letter.charCodeAt(0))
  assert.deepEqual(pictures, [
    [...name, 3, 0, 0, 0, 1, 2, 3, 0],
    [...name, 2, 0, 0, 0, 4, 5],
  ])
})

test('what is no WebP file is no frame', () => {
  const webp = new TextEncoder().encode('\x89PNG\r\n\x1a\nabcdefgh')
  const frame = { webp, x: 0, y: 0, width: 1, height: 1, duration: 1 }
  assert.throws(() => animatedWebp(1, 1, [frame]), /no WebP/)
})

test('the picture takes 10 to 15 seconds, and less than 600 KB with its still frame', () => {
  const [moving, motionless] = ['picture.webp', 'picture-still.webp'].map((name) =>
    readFileSync(new URL(`../../docs/${name}`, import.meta.url)),
  )
  assert.ok(moving && motionless)
  const bytes = moving.length + motionless.length
  assert.ok(bytes < 600_000, `${bytes} bytes`)
  const frames = chunksOf(moving).filter(({ name }) => name === 'ANMF')
  const seconds = frames.reduce((sum, { contents }) => sum + frameOf(contents).duration, 0) / 1000
  assert.ok(seconds >= 10 && seconds <= 15, `${seconds} s`)
  assert.deepEqual(
    chunksOf(motionless).filter(({ name }) => name === 'ANMF'),
    [],
  )
})
