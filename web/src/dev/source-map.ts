/** Places in the sources as the developer sees them, for places in what the browser runs: stacks of errors, and source maps. */

import { FlattenMap, originalPositionFor, type TraceMap } from '@jridgewell/trace-mapping'

/** A line of a stack. `line` and `column` count from 1. */
export interface Frame {
  name: string
  file: string
  line: number
  column: number
}

/** How many lines of a stack are read. */
const maxFrames = 20

/** The lines of a stack that have a place, as Chromium, Firefox and Safari write them. */
export function framesOf(stack: string): Frame[] {
  const frames: Frame[] = []
  for (const text of stack.split('\n', 4 * maxFrames)) {
    const found =
      /^\s*at (?:async )?(?:(.{0,300}?) \()?([^()\s][^()]*(?:\([^()]*\)[^()]*)?):(\d+):(\d+)\)?$/.exec(
        text,
      ) ?? /^([^@]{0,300})@(.+):(\d+):(\d+)$/.exec(text)
    if (found === null || frames.length === maxFrames) continue
    const [, name = '', file = '', line, column] = found
    frames.push({ name, file, line: Number(line), column: Number(column) })
  }
  return frames
}

/** What servers and bundlers put before the path of a source. */
const before =
  /^(?:@fs(?=\/)|file:\/\/|webpack-internal:\/\/\/|(?:webpack|turbopack):\/\/[^\/]*\/)?(?:\([\w-]+\)\/|\[project\]\/)?(?:\.\/)?/

/**
 * The path of a source, as short as it is clear.
 *
 * @param base - the URL of the app
 * @param root - its directory; '' if that is not known
 */
export function sourcePath(url: string, base: string, root = ''): string {
  const below = (path: string) =>
    root !== '' && path.startsWith(`${root}/`) ? path.slice(root.length + 1) : path
  if (below(url) !== url) return below(url)
  let path = URL.canParse(url, base) ? new URL(url, base).href : url
  for (const start of [base, new URL('/', base).href]) {
    if (path.startsWith(start)) path = path.slice(start.length)
  }
  path = path.replace(/[?#].*$/s, '')
  try {
    path = decodeURI(path)
  } catch {} // not UTF-8: as it is
  return below(path.replace(before, ''))
}

const maxScript = 32 << 20 // UTF-16 code units of a script, or of its map

/**
 * Returns what finds the places of frames in the sources. Scripts of the page's own origin alone are loaded, and their maps;
 * a frame without a map keeps its place.
 *
 * @param load - gets an absolute URL, and returns its text
 */
export function sourceMapper(base: string, load: (url: string) => Promise<string>) {
  const maps = new Map<string, Promise<TraceMap | undefined>>()
  const isOwn = (url: string) => URL.canParse(url) && new URL(url).origin === new URL(base).origin

  async function mapOf(script: string) {
    const text = await load(script)
    const at = text.lastIndexOf('sourceMappingURL=')
    const [, reference] = /^sourceMappingURL=(\S+)/.exec(at < 0 ? '' : text.slice(at)) ?? []
    if (reference === undefined || text.length > maxScript) return undefined
    const isInline = reference.startsWith('data:')
    const url = new URL(reference, script).href
    if (!isInline && !isOwn(url)) return undefined
    const json = isInline ? inlineText(reference) : await load(url)
    if (json.length > maxScript) return undefined
    return new FlattenMap(json, isInline ? script : url)
  }

  async function located(frame: Frame): Promise<Frame> {
    let found = maps.get(frame.file)
    if (found === undefined && isOwn(frame.file)) {
      found = mapOf(frame.file).catch(() => undefined)
      maps.set(frame.file, found)
    }
    const map = await found
    const { source, line, column } = map
      ? originalPositionFor(map, { line: frame.line, column: frame.column - 1 })
      : { source: null }
    return source === null ? frame : { name: frame.name, file: source, line, column: column + 1 }
  }

  return {
    map: (frames: readonly Frame[]) => Promise.all(frames.map(located)),
    /** Forgets what was loaded: after an update the same URL may have another text. */
    forget: () => maps.clear(),
  }
}

/** The text of a `data:` URL of JSON. */
function inlineText(url: string): string {
  const at = url.indexOf(',')
  const data = url.slice(at + 1)
  if (!url.slice(0, at).endsWith(';base64')) return decodeURIComponent(data)
  return new TextDecoder().decode(Uint8Array.from(atob(data), (letter) => letter.charCodeAt(0)))
}
