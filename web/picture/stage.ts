/** Draws two windows beside each other in a page of the browser, and compresses what has changed since the last frame. */

import type { Page } from 'puppeteer-core'
import type { Frame } from './animation.ts'

/** Sizes in CSS pixels. */
export const bar = 34
export const windows = {
  app: { width: 540, height: 520, title: 'A web app, open in a browser' },
  assistant: { width: 420, height: 520, title: 'An assistant: real messages, scripted words' },
}
export const scale = 1.5
export const size = {
  width: (windows.app.width + windows.assistant.width) * scale,
  height: (windows.app.height + bar) * scale,
}

/** Levels of each colour, instead of 256: the difference is not visible, and the files are a quarter of the size. */
const steps = 25

/** A frame before its duration is known; undefined: nothing has changed. */
export type Drawn = Omit<Frame, 'duration'>

/** Draws screenshots of both windows, PNG in base64. */
export async function draw(
  stage: Page,
  app: string,
  assistant: string,
): Promise<Drawn | undefined> {
  const drawn = await stage.evaluate(drawInPage, {
    app,
    assistant,
    windows,
    bar,
    scale,
    size,
    steps,
  })
  return drawn && { ...drawn, webp: Buffer.from(drawn.webp, 'base64') }
}

/** The whole picture as it is now, a still WebP. */
export async function still(stage: Page): Promise<Uint8Array> {
  const text = await stage.evaluate(() => {
    const canvas = document.querySelector('canvas') as HTMLCanvasElement
    return canvas.toDataURL('image/webp', 1)
  })
  return Buffer.from(text.slice(text.indexOf(',') + 1), 'base64')
}

interface Given {
  app: string
  assistant: string
  windows: typeof windows
  bar: number
  scale: number
  size: typeof size
  steps: number
}

/** Runs in the page of the stage, which keeps the last picture in its canvas. */
async function drawInPage({ app, assistant, windows, bar, scale, size, steps }: Given) {
  let canvas = document.querySelector('canvas')
  const isFirst = canvas === null
  if (canvas === null) {
    canvas = document.createElement('canvas')
    Object.assign(canvas, size)
    document.body.append(canvas)
  }
  const context = canvas.getContext('2d', { willReadFrequently: true }) as CanvasRenderingContext2D
  const before = context.getImageData(0, 0, size.width, size.height).data
  let left = 0
  for (const [png, { width, height, title }] of [
    [app, windows.app],
    [assistant, windows.assistant],
  ] as const) {
    const image = new Image()
    image.src = `data:image/png;base64,${png}`
    await image.decode()
    context.setTransform(scale, 0, 0, scale, left * scale, 0)
    context.fillStyle = '#2b2b32'
    context.fillRect(0, 0, width, bar)
    context.fillStyle = '#ececf0'
    context.font = '600 14px system-ui, sans-serif'
    context.fillText(title, 14, bar / 2 + 5)
    context.drawImage(image, 0, bar, width, height)
    if (left > 0) context.fillRect(0, 0, 1, bar + height)
    left += width
  }
  context.setTransform(1, 0, 0, 1, 0, 0)
  const picture = context.getImageData(0, 0, size.width, size.height)
  const after = picture.data
  for (let at = 0; at < after.length; at++)
    after[at] = Math.round((Math.round(((after[at] ?? 0) / 255) * steps) / steps) * 255)
  context.putImageData(picture, 0, 0)

  // The rectangle of all pixels that differ; frames begin at even coordinates.
  let [x, y, right, bottom] = isFirst ? [0, 0, size.width, size.height] : [Infinity, Infinity, 0, 0]
  const old = new Uint32Array(before.buffer)
  const now = new Uint32Array(after.buffer)
  for (let at = 0; !isFirst && at < now.length; at++) {
    if (old[at] === now[at]) continue
    const column = at % size.width
    const row = (at - column) / size.width
    x = Math.min(x, column)
    y = Math.min(y, row)
    right = Math.max(right, column + 1)
    bottom = Math.max(bottom, row + 1)
  }
  if (right === 0) return undefined
  x -= x % 2
  y -= y % 2
  const part = document.createElement('canvas')
  Object.assign(part, { width: right - x, height: bottom - y })
  part.getContext('2d')?.drawImage(canvas, -x, -y)
  const webp = part.toDataURL('image/webp', 1) // lossless: text has no blur, and few colours take few bytes
  return { webp: webp.slice(webp.indexOf(',') + 1), x, y, width: part.width, height: part.height }
}
