/** The demo's pictures, drawn in the page. */

/** The logo, as SVG. */
export const logo = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 64 64" width="64" height="64">
  <rect width="64" height="64" rx="14" fill="#3451c6"/>
  <path d="M16 20h32M16 32h20M16 44h26" stroke="#fff" stroke-width="5" stroke-linecap="round"/>
</svg>
`

/** A screenshot of a tab as PNG; undefined without a canvas. */
export async function screenshot(
  title: string,
  url: string,
  text: string,
): Promise<Uint8Array<ArrayBuffer> | undefined> {
  if (globalThis.OffscreenCanvas === undefined) return undefined
  const canvas = new OffscreenCanvas(320, 200)
  const draw = canvas.getContext('2d')
  if (draw === null) return undefined
  draw.fillStyle = '#ffffff'
  draw.fillRect(0, 0, 320, 200)
  draw.fillStyle = '#e3e2da'
  draw.fillRect(0, 0, 320, 28)
  draw.fillStyle = '#5c5b54'
  draw.font = '11px sans-serif'
  draw.fillText(url, 10, 18, 300)
  draw.fillStyle = '#1c1c1a'
  draw.font = 'bold 18px sans-serif'
  draw.fillText(title, 14, 62, 292)
  draw.font = '13px sans-serif'
  text.split('\n').forEach((line, i) => {
    draw.fillText(line, 14, 90 + 18 * i, 292)
  })
  const blob = await canvas.convertToBlob({ type: 'image/png' })
  return new Uint8Array(await blob.arrayBuffer())
}

/** The logo as PNG. */
export async function logoPng(): Promise<Uint8Array<ArrayBuffer> | undefined> {
  return screenshot('PageMCP', 'media://logo.png', 'drawn when it is read')
}
