/**
 * Places in the sources as the developer sees them, for places in what the browser runs: stacks of errors, and source maps
 * of revision 3 (ECMA-426).
 */

/** A line of a stack. `line` and `column` count from 1. */
export interface Frame {
  name: string
  file: string
  line: number
  column: number
}

/** A source map, or one with sections. */
export interface SourceMap {
  sources?: readonly (string | null)[]
  sourceRoot?: string
  mappings?: string
  sections?: readonly { offset: { line: number; column: number }; map: SourceMap }[]
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

/** Where a place of the generated code comes from; `undefined`: the map does not say. */
export function original(map: SourceMap, line: number, column: number): Frame | undefined {
  if (map.sections) {
    const section = map.sections.findLast(
      ({ offset }) => offset.line < line || (offset.line === line - 1 && offset.column < column),
    )
    if (section === undefined) return undefined
    const { offset } = section
    const isFirst = offset.line === line - 1
    return original(section.map, line - offset.line, isFirst ? column - offset.column : column)
  }
  const mappings = map.mappings ?? ''
  const state = [0, 0, 0, 0] // column of the generated code; source, line and column of the original
  let best: readonly number[] | undefined
  let row = 1
  let field = 0
  let shift = 0
  let value = 0
  for (let i = 0; i <= mappings.length && row <= line; i++) {
    const letter = mappings[i] ?? ';'
    if (letter === ',' || letter === ';') {
      if (row === line && field >= 4 && (state[0] as number) < column) best = [...state]
      if (row === line && field === 1 && (state[0] as number) < column) best = undefined
      field = 0
      if (letter === ';') {
        row++
        state[0] = 0
      }
      continue
    }
    const digit = digits.indexOf(letter)
    if (digit < 0) return undefined // not a map
    value += (digit & 31) << shift
    shift += 5
    if (digit & 32) continue
    if (field < 4)
      state[field] = (state[field] as number) + (value & 1 ? -(value >> 1) : value >> 1)
    field++
    shift = value = 0
  }
  if (best === undefined) return undefined
  const [, source = 0, originalLine = 0, originalColumn = 0] = best
  const file = map.sources?.[source]
  if (typeof file !== 'string') return undefined
  const root = map.sourceRoot ? map.sourceRoot.replace(/\/?$/, '/') : ''
  return { name: '', file: root + file, line: originalLine + 1, column: originalColumn + 1 }
}

const digits = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'

/** The path of a source, as short as it is clear: without the server, what bundlers put before it, and the query. */
export function sourcePath(url: string, base: string): string {
  const absolute = URL.canParse(url, base) ? new URL(url, base).href : url
  const path = absolute.startsWith(new URL('/', base).href)
    ? absolute.slice(new URL('/', base).href.length)
    : absolute
  return decoded(
    path
      .replace(/[?#].*$/, '')
      .replace(/^@fs\/+/, '/')
      .replace(/^file:\/\//, '')
      .replace(/^webpack-internal:\/\/\//, '')
      .replace(/^(?:webpack|turbopack):\/\/[^\/]*\//, '')
      .replace(/^\([\w-]+\)\//, '')
      .replace(/^(?:\[project\]|%5Bproject%5D)\//, '')
      .replace(/^\.\//, ''),
  )
}

function decoded(text: string): string {
  try {
    return decodeURI(text)
  } catch {
    return text
  }
}

/** How large a script or its map may be. */
const maxScript = 32 << 20 // UTF-16 code units

/**
 * Returns the frames of a stack at their places in the sources. Scripts and their maps are loaded from the page's own origin
 * alone, from the browser's cache if it has them; where there is no map, a frame keeps its place.
 *
 * @param load - gets an absolute URL, and returns its text
 */
export function sourceMapper(base: string, load: (url: string) => Promise<string>) {
  const maps = new Map<string, Promise<{ map: SourceMap; url: string } | undefined>>()
  const { origin } = new URL(base)
  const isOwn = (url: string) => URL.canParse(url) && new URL(url).origin === origin

  async function mapOf(script: string) {
    const text = await load(script)
    if (text.length > maxScript) return undefined
    const at = text.lastIndexOf('sourceMappingURL=')
    const [, reference = ''] = /^sourceMappingURL=(\S+)/.exec(at < 0 ? '' : text.slice(at)) ?? []
    const inline = /^data:application\/json[^,]*?(;base64)?,(.*)$/s.exec(reference)
    if (inline) {
      const [, isBase64, data = ''] = inline
      const bytes = () => Uint8Array.from(atob(data), (letter) => letter.charCodeAt(0))
      const json = isBase64 ? new TextDecoder().decode(bytes()) : decodeURIComponent(data)
      return { map: JSON.parse(json) as SourceMap, url: script }
    }
    if (reference === '' || !URL.canParse(reference, script)) return undefined
    const url = new URL(reference, script).href
    if (!isOwn(url)) return undefined
    const json = await load(url)
    return json.length > maxScript ? undefined : { map: JSON.parse(json) as SourceMap, url }
  }

  return {
    /** Forgets what was loaded: after an update the same URL may have another text. */
    forget: () => maps.clear(),
    async map(frames: readonly Frame[]): Promise<Frame[]> {
      return Promise.all(
        frames.map(async (frame) => {
          let found = maps.get(frame.file)
          if (found === undefined && isOwn(frame.file)) {
            found = mapOf(frame.file).catch(() => undefined)
            maps.set(frame.file, found)
          }
          const known = await found
          const there = known && original(known.map, frame.line, frame.column)
          const file =
            there && URL.canParse(there.file, known.url)
              ? new URL(there.file, known.url).href
              : there?.file
          return {
            ...frame,
            ...there,
            name: frame.name,
            file: sourcePath(file ?? frame.file, base),
          }
        }),
      )
    },
  }
}
