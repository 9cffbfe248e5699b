/**
 * Parses computed colours, precisely enough to compare letters with their background.
 *
 * @see https://www.w3.org/TR/css-color-4/#serializing-color-values
 */

/** Red, green and blue in sRGB, and alpha; all from 0 to 1. */
export type Colour = readonly [red: number, green: number, blue: number, alpha: number]

export const white: Colour = [1, 1, 1, 1]

const parsed = new Map<string, Colour | undefined>()

/** Returns `undefined` for unknown colour spaces. */
export function colourOf(text: string): Colour | undefined {
  if (!parsed.has(text)) {
    if (parsed.size > 1000) parsed.clear()
    parsed.set(text, parse(text))
  }
  return parsed.get(text)
}

function parse(text: string): Colour | undefined {
  const [, name = '', inside = ''] = /^([a-z]+)\((.*)\)$/.exec(text) ?? []
  const [before = '', slash] = inside.split('/')
  const words = before.trim().split(/[\s,]+/)
  const space = name === 'color' ? (words.shift() ?? '') : name
  const [a = 0, b = 0, c = 0, fourth] = words.map(number)
  const alpha = slash === undefined ? (fourth ?? 1) : number(slash.trim())
  if (words.length < 3 || [a, b, c, alpha].some(Number.isNaN)) return undefined
  const turned = (lightness: number, chroma: number, hue: number) =>
    [lightness, chroma * Math.cos(hue * degree), chroma * Math.sin(hue * degree)] as const
  switch (space) {
    case 'rgb':
    case 'rgba':
      return [a / 255, b / 255, c / 255, alpha]
    case 'srgb':
    case 'display-p3': // nearly
    case 'a98-rgb':
      return [a, b, c, alpha]
    case 'srgb-linear':
      return [gamma(a), gamma(b), gamma(c), alpha]
    case 'oklab':
      return [...oklab(a, b, c), alpha]
    case 'oklch':
      return [...oklab(...turned(a, b, c)), alpha]
    case 'lab':
      return [...lab(a, b, c), alpha]
    case 'lch':
      return [...lab(...turned(a, b, c)), alpha]
  }
  return undefined
}

const degree = Math.PI / 180

function number(text: string): number {
  if (text === 'none') return 0
  return text.endsWith('%') ? Number(text.slice(0, -1)) / 100 : Number(text)
}

type Three = readonly [number, number, number]

const within = (value: number) => Math.min(1, Math.max(0, value))

const gamma = (linear: number) =>
  within(linear <= 0.0031308 ? 12.92 * linear : 1.055 * linear ** (1 / 2.4) - 0.055)

function oklab(lightness: number, a: number, b: number): Three {
  const l = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3
  const m = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3
  const s = (lightness - 0.0894841775 * a - 1.291485548 * b) ** 3
  return [
    gamma(4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s),
    gamma(-1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s),
    gamma(-0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s),
  ]
}

/** By way of XYZ with the white of D50. */
function lab(lightness: number, a: number, b: number): Three {
  const y = (lightness + 16) / 116
  const cubed = (value: number) =>
    value > 6 / 29 ? value ** 3 : 3 * (6 / 29) ** 2 * (value - 4 / 29)
  const x = 0.9643 * cubed(y + a / 500)
  const z = 0.8251 * cubed(y - b / 200)
  const yy = cubed(y)
  return [
    gamma(3.1338561 * x - 1.6168667 * yy - 0.4906146 * z),
    gamma(-0.9787684 * x + 1.9161415 * yy + 0.033454 * z),
    gamma(0.0719453 * x - 0.2289914 * yy + 1.4052427 * z),
  ]
}

/** The colour of `above` painted on an opaque colour. */
export function over(above: Colour, below: Colour): Colour {
  const [r, g, b, alpha] = above
  const mix = (one: number, other: number) => one * alpha + other * (1 - alpha)
  return [mix(r, below[0]), mix(g, below[1]), mix(b, below[2]), 1]
}

/** The largest difference of a channel, from 0 to 1. */
export function distance(one: Colour, other: Colour): number {
  return Math.max(
    Math.abs(one[0] - other[0]),
    Math.abs(one[1] - other[1]),
    Math.abs(one[2] - other[2]),
  )
}
