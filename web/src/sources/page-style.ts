/** The effects of a computed style on letters: fading, masking, scaling and turning. */

/**
 * The opacity that filters leave, from 0 to 1. It is 0 for filters that may make text unreadable (blur,
 * `url()`, extreme values).
 */
export function leftByFilter(filter: string): number {
  if (filter === 'none') return 1
  let left = 1
  let rest = filter
  for (;;) {
    const [all = '', name, inside = ''] =
      /^\s*([a-z-]+)\(((?:[^()]|\([^()]*\))*)\)/.exec(rest) ?? []
    if (name === undefined) return rest.trim() === '' ? left : 0
    rest = rest.slice(all.length)
    const amount = inside.trim().endsWith('%')
      ? Number.parseFloat(inside) / 100
      : Number.parseFloat(inside)
    switch (name) {
      case 'opacity':
        left *= amount
        break
      case 'blur':
        if (!(amount <= 1)) return 0 // CSS pixels
        break
      case 'brightness':
      case 'contrast':
        if (!(amount >= 0.4 && amount <= 2)) return 0
        break
      case 'invert':
        if (!(amount <= 0.2 || amount >= 0.8)) return 0
        break
      case 'grayscale':
      case 'sepia':
      case 'saturate':
      case 'hue-rotate':
      case 'drop-shadow':
        break
      default:
        return 0
    }
  }
}

/** The effect of a transform on letters. */
export interface Turn {
  /** The smallest scale of all directions; 1: unchanged. */
  readonly scale: number
  /** 1: the front is seen; -1: the back. */
  readonly facing: 1 | -1
}

const unturned: Turn = { scale: 1, facing: 1 }

/** Of `rotate`, `scale` and `transform` together. */
export function turnOf({ rotate, scale, transform }: CSSStyleDeclaration): Turn {
  const plain = (value: string | undefined) =>
    value === undefined || value === 'none' || value === ''
  if (plain(transform) && plain(rotate) && plain(scale)) return unturned
  let [a, b, c, d] = plain(rotate) ? identity : rotation(rotate)
  const [x = 1, y = x] = plain(scale) ? [1] : scale.split(' ').map(Number)
  for (const [e, f, g, h] of [
    [x, 0, 0, y] as Linear,
    plain(transform) ? identity : matrix(transform),
  ]) {
    ;[a, b, c, d] = [a * e + c * f, b * e + d * f, a * g + c * h, b * g + d * h]
  }
  const area = a * d - b * c
  const longest = Math.max(Math.hypot(a, b), Math.hypot(c, d))
  const least = longest > 0 ? Math.abs(area) / longest : 0
  return { scale: Number.isNaN(least) ? 0 : least, facing: area < 0 ? -1 : 1 }
}

/** The transformed directions x and y, seen from the front: (a, b) and (c, d). */
type Linear = readonly [a: number, b: number, c: number, d: number]

const identity: Linear = [1, 0, 0, 1]

function matrix(transform: string): Linear {
  const [, kind, inside = ''] = /^(matrix|matrix3d)\((.*)\)$/.exec(transform) ?? []
  const all = inside.split(',').map(Number)
  const at = (i: number) => all[i] ?? Number.NaN
  return kind === 'matrix3d' ? [at(0), at(1), at(4), at(5)] : [at(0), at(1), at(2), at(3)]
}

/** `20deg`, `y 20deg` or `1 0 0 20deg`. */
function rotation(rotate: string): Linear {
  const words = rotate.split(' ')
  const angle = (Number.parseFloat(words.pop() ?? '') * Math.PI) / 180
  const axis = { x: [1, 0, 0], y: [0, 1, 0], z: [0, 0, 1] }[words[0] ?? 'z'] ?? words.map(Number)
  const length = Math.hypot(...axis)
  const [x = 0, y = 0, z = 0] = axis.map((one) => one / length)
  const cos = Math.cos(angle)
  const sin = Math.sin(angle)
  return [
    cos + x * x * (1 - cos),
    x * y * (1 - cos) + z * sin,
    x * y * (1 - cos) - z * sin,
    cos + y * y * (1 - cos),
  ]
}

/** Whether an element clips its content at its edges, other than by `overflow`. */
export function containsPaint(contain: string, contentVisibility: string): boolean {
  return (
    contentVisibility === 'auto' || (contain !== 'none' && /paint|strict|content/.test(contain))
  )
}

/** Whether an element is the containing block of `position: fixed` descendants. */
export function holdsFixed(style: CSSStyleDeclaration): boolean {
  const { transform, filter, perspective, contain, contentVisibility, willChange, transformStyle } =
    style
  const { translate, rotate, scale, backdropFilter } = style
  const none = (value: string | undefined) =>
    value === undefined || value === '' || value === 'none'
  return (
    ![transform, filter, perspective, translate, rotate, scale, backdropFilter].every(none) ||
    /layout|paint|strict|content/.test(contain) ||
    contentVisibility === 'auto' ||
    transformStyle === 'preserve-3d' ||
    /transform|translate|rotate|scale|perspective|filter|contain/.test(willChange)
  )
}

/** The smallest readable letters. */
const leastLetter = 4 // CSS pixels

/** Whether letters of a style are large enough and apart; `scale` is that of all around them. */
export function isReadable(style: CSSStyleDeclaration, scale: number): boolean {
  const size = Number.parseFloat(style.fontSize)
  if (!(size * scale >= leastLetter)) return false
  const { fontSizeAdjust, letterSpacing } = style
  if (letterSpacing !== 'normal' && Number.parseFloat(letterSpacing) < -size / 3) return false
  if (fontSizeAdjust === undefined || fontSizeAdjust === 'none') return true
  return Number.parseFloat(fontSizeAdjust.split(' ').at(-1) ?? '') >= 0.2
}
