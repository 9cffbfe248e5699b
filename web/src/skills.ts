/**
 * Skills that a page offers: checks them, and makes their files and entries. A file of its own in the package, loaded
 * by the first {@link Publishing.skill}.
 *
 * @see https://github.com/modelcontextprotocol/ext-skills SEP-2640
 */

import type { Ready } from './contents.ts'
import { type Redact, redactReady } from './contents.ts'
import { jsonCopy } from './json.ts'
import type { Registration } from './publish.ts'
import { type Descriptions, type SkillEntry, wireCacheHints } from './registry.ts'
import type { CacheHints, Json } from './source.ts'

/** The frontmatter of a skill. Clients get every field; further ones are allowed. */
export interface SkillDescription {
  /** At most 64 of a-z, 0-9 and single hyphens between them. */
  name: string
  /** For models: what the skill is for, and when to use it. At most 1,024 characters. */
  description: string
  license?: string
  /** What the skill needs, such as programs. At most 500 characters. */
  compatibility?: string
  metadata?: Record<string, string>
  /** Tools that the skill wants to use without a question. Clients ignore it unless their user agrees. */
  'allowed-tools'?: string
  [field: string]: Json | undefined
}

export interface SkillOptions {
  /** Removes the registration. */
  signal?: AbortSignal
  /** Further files by their paths in the skill, such as `references/FORMS.md`. Bytes are copied. */
  files?: Record<string, string | Uint8Array<ArrayBuffer>>
  /** Where the skill is: with `acme/billing` the skill `refunds` is `skill://acme/billing/refunds/SKILL.md`. */
  path?: string
  /** How long clients may cache the files. */
  cache?: CacheHints
}

/** The registration of a skill. */
export interface SkillRegistration extends Registration {
  /**
   * Resolves when the skill is served. Rejects with a TypeError that names the rule that the skill breaks; the console
   * shows a rejection that is not handled.
   */
  readonly ready: Promise<void>
}

/** The parameters of {@link Publishing.skill}. */
export type SkillParameters = [
  description: SkillDescription,
  instructions: string,
  options?: SkillOptions,
]

/** Registers descriptions, each with its value or without; `final`: the values do not pass the hook `redact`. */
export type PublishSkill = (
  added: Descriptions,
  behind: { value?: { ready: Ready } }[],
  final: true,
) => { remove(): void }

/** The most bytes of a skill, which every client supports: SEP-2640, Limits. */
const maxBytes = 16 << 20

/** Of an engine: settles when the registration before is finished. The latest one of a skill is served. */
const lastOf = new WeakMap<PublishSkill, Promise<unknown>>()

/**
 * Offers a skill.
 *
 * @param publish - the same function for all skills of an engine
 * @param redact - gets each file once, now: digests are of what it returns
 * @param removed - removes the skill; also one that is not served yet
 */
export async function offerSkill(
  skill: SkillParameters,
  publish: PublishSkill,
  redact: Redact | undefined,
  removed: AbortSignal,
): Promise<void> {
  const before = lastOf.get(publish)
  const preparing = prepare(skill, redact)
  const done = preparing.then(async ({ added, contents }) => {
    await before
    if (removed.aborted) return
    const behind = [...contents.map((ready) => ({ value: { ready } })), {}] // the last is the skill's
    const { remove } = publish(added, behind, true)
    removed.addEventListener('abort', remove)
  })
  lastOf.set(
    publish,
    Promise.allSettled([before, done]).then(() => {}),
  ) // without the results, which would nest
  return done
}

async function prepare(
  [description, instructions, options = {}]: SkillParameters,
  redact: Redact | undefined,
) {
  const frontmatter = checkedFrontmatter(description)
  const { name } = frontmatter
  if (typeof instructions !== 'string' || instructions.startsWith('---')) {
    throw new TypeError(`the skill ${name} needs its instructions, a text without frontmatter`)
  }
  const { files = {}, path, cache } = options
  const root = `skill://${path === undefined ? '' : `${checkedPath(path)}/`}${name}`
  const head = writeFrontmatter(frontmatter)
  const wanted = Object.entries({ 'SKILL.md': `${head}\n${instructions}`, ...files }).map(
    ([path, content]) => ({
      uri: `${root}/${checkedPath(path)}`,
      path,
      content: typeof content === 'string' ? content.toWellFormed() : new Uint8Array(content),
    }),
  )
  const resources: SkillEntry['resources'] & object[] = []
  const described: Descriptions['resources'] & object[] = []
  const contents: Ready[] = []
  let total = 0
  for (const { uri, path, content } of wanted) {
    const left = redact ? await redactReady(redact, uri, { value: content }) : { value: content }
    if (left === undefined) continue
    const value = left.value as string | Uint8Array<ArrayBuffer>
    const bytes = typeof value === 'string' ? new TextEncoder().encode(value) : value
    total += bytes.length
    if (total > maxBytes) throw new TypeError(`the skill ${name} has more than 16 MiB`)
    resources.push({ uri, digest: await digestOf(bytes), size: bytes.length })
    const isMain = path === 'SKILL.md'
    described.push({
      uri,
      name: isMain ? name : `${name}/${path}`,
      mimeType: mimeTypeOf(path, value),
      size: bytes.length,
      cacheHints: wireCacheHints(cache),
      ...(isMain && { description: frontmatter.description }),
    })
    contents.push({ value })
  }
  const main = described[0]?.uri === `${root}/SKILL.md` ? (contents[0]?.value as string) : ''
  if (!main.startsWith(head)) {
    // Clients refuse a skill whose entry differs from its file.
    throw new TypeError(`redact changes the frontmatter of the skill ${name}, or removes it`)
  }
  const entry: SkillEntry = {
    uri: `${root}/SKILL.md`,
    frontmatter,
    resources: resources.every(({ digest }) => digest) ? resources : 'dynamic',
  }
  return { added: { resources: described, skills: [entry] }, contents }
}

/** Texts that some version of YAML reads as a boolean or nothing where they are not quoted. */
const reserved = /^(?:y|n|yes|no|on|off|true|false|null)$/i

/**
 * The frontmatter of a SKILL.md, with the lines around it: YAML that all parsers of clients read alike. Values are JSON.
 *
 * @see https://yaml.org/spec/1.2.2/
 */
function writeFrontmatter(object: Record<string, Json>): string {
  const lines = Object.entries(object).map(([key, value]) => {
    const name = /^[A-Za-z_][\w-]*$/.test(key) && !reserved.test(key) ? key : JSON.stringify(key)
    return `${name}: ${JSON.stringify(value)}\n`
  })
  return `---\n${lines.join('')}---\n`
}

/**
 * A copy of the frontmatter. What most skills get wrong is checked here; a gateway checks all of an entry.
 *
 * @see https://agentskills.io/specification
 */
function checkedFrontmatter(own: SkillDescription) {
  const frontmatter = jsonCopy(own) as Record<string, Json> & { name: string; description: string }
  const { name, description } = frontmatter ?? {}
  if (typeof name !== 'string' || name.length > 64 || !/^[a-z0-9]+(?:-[a-z0-9]+)*$/.test(name)) {
    throw new TypeError(
      `the name of a skill is 1 to 64 of a-z, 0-9 and single hyphens between them, not ${short(name)}`,
    )
  }
  if (typeof description !== 'string' || description.trim() === '' || description.length > 1024) {
    throw new TypeError(
      `the skill ${name} needs a description of at most 1,024 characters: its purpose, and when to use it`,
    )
  }
  return frontmatter
}

/** A path that clients can make directories and a file of. */
function checkedPath(path: string): string {
  const segment = '[\\w~+@-][\\w.~+@-]*'
  if (!new RegExp(`^${segment}(?:/${segment})*$`).test(path)) {
    throw new TypeError(
      `a path in a skill is relative, of letters, digits, ".", "_", "-", "~", "+", "@" and "/", not ${short(path)}`,
    )
  }
  return path
}

/** `''` where the browser has no SHA-256: in a page that is not a secure context. */
async function digestOf(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  if (!globalThis.crypto?.subtle) return ''
  const hash = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes))
  return `sha256:${Array.from(hash, (byte) => byte.toString(16).padStart(2, '0')).join('')}`
}

const types: Record<string, string> = {
  css: 'text/css',
  csv: 'text/csv',
  gif: 'image/gif',
  html: 'text/html',
  jpeg: 'image/jpeg',
  jpg: 'image/jpeg',
  js: 'text/javascript',
  json: 'application/json',
  md: 'text/markdown',
  pdf: 'application/pdf',
  png: 'image/png',
  py: 'text/x-python',
  sh: 'application/x-sh',
  svg: 'image/svg+xml',
  ts: 'text/x-typescript',
  webp: 'image/webp',
  xml: 'application/xml',
  yaml: 'application/yaml',
  yml: 'application/yaml',
}

function mimeTypeOf(path: string, value: string | Uint8Array): string {
  const ending = /\.(\w+)$/.exec(path)?.[1]?.toLowerCase() ?? ''
  const known = Object.hasOwn(types, ending) ? types[ending] : undefined
  return known ?? (typeof value === 'string' ? 'text/plain' : 'application/octet-stream')
}

const short = (value: unknown) => JSON.stringify(String(value).slice(0, 100))
