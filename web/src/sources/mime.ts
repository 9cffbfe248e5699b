/** MIME types of files by extension. */

/** By extension: types that apps store, and that browsers or models can use. */
const types: { readonly [type: string]: string } = {
  'text/plain': 'txt text log',
  'text/markdown': 'md markdown',
  'text/html': 'html htm',
  'text/css': 'css',
  'text/csv': 'csv',
  'text/tab-separated-values': 'tsv',
  'text/calendar': 'ics',
  'text/vcard': 'vcf',
  'text/vtt': 'vtt',
  'text/javascript': 'js mjs cjs',
  'text/x-python': 'py',
  'text/x-go': 'go',
  'text/x-rust': 'rs',
  'text/x-java': 'java',
  'text/x-c': 'c h',
  'text/x-c++': 'cpp hpp cc',
  'text/x-shellscript': 'sh',
  'text/x-diff': 'diff patch',
  'text/x-ini': 'ini cfg conf',
  'application/typescript': 'ts tsx mts',
  'application/json': 'json map',
  'application/jsonl': 'jsonl ndjson',
  'application/ld+json': 'jsonld',
  'application/geo+json': 'geojson',
  'application/manifest+json': 'webmanifest',
  'application/xml': 'xml',
  'application/atom+xml': 'atom',
  'application/rss+xml': 'rss',
  'application/gpx+xml': 'gpx',
  'application/yaml': 'yaml yml',
  'application/toml': 'toml',
  'application/sql': 'sql',
  'image/svg+xml': 'svg',
  'image/png': 'png',
  'image/jpeg': 'jpg jpeg',
  'image/gif': 'gif',
  'image/webp': 'webp',
  'image/avif': 'avif',
  'image/bmp': 'bmp',
  'image/x-icon': 'ico',
  'audio/mpeg': 'mp3',
  'audio/ogg': 'ogg oga opus',
  'audio/wav': 'wav',
  'audio/mp4': 'm4a',
  'audio/flac': 'flac',
  'video/mp4': 'mp4 m4v',
  'video/webm': 'webm',
  'video/quicktime': 'mov',
  'font/woff2': 'woff2',
  'font/woff': 'woff',
  'font/ttf': 'ttf',
  'application/pdf': 'pdf',
  'application/epub+zip': 'epub',
  'application/rtf': 'rtf',
  'application/zip': 'zip',
  'application/gzip': 'gz',
  'application/x-tar': 'tar',
  'application/wasm': 'wasm',
  'application/vnd.sqlite3': 'sqlite sqlite3 db',
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document': 'docx',
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet': 'xlsx',
  'application/vnd.openxmlformats-officedocument.presentationml.presentation': 'pptx',
}

let byExtension: ReadonlyMap<string, string> | undefined

/** The MIME type of a file, by its name; `application/octet-stream` if the extension is unknown. */
export function typeOfName(name: string): string {
  byExtension ??= new Map(
    Object.entries(types).flatMap(([type, all]) => all.split(' ').map((one) => [one, type])),
  )
  const dot = name.lastIndexOf('.')
  const extension = dot < 0 ? '' : name.slice(dot + 1).toLowerCase()
  return byExtension.get(extension) ?? 'application/octet-stream'
}

/** Whether content of this type is text: then it is served as such, if it is UTF-8. */
export function isTextType(type: string): boolean {
  const essence = type.split(';', 1)[0]?.trim().toLowerCase() ?? ''
  return (
    essence.startsWith('text/') ||
    /[\/+](?:json|xml|yaml|x-yaml)$/.test(essence) ||
    /^application\/(?:jsonl|x-ndjson|toml|sql|rtf|javascript|ecmascript|typescript|graphql|x-www-form-urlencoded)$/.test(
      essence,
    )
  )
}

/** The text of bytes in UTF-8, or undefined if they are not. A byte order mark stays. */
export function textOf(bytes: Uint8Array<ArrayBuffer>): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return undefined
  }
}
