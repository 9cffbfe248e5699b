/**
 * Skills that a page offers: checks them, and makes their files and entries. A file of its own in the package, loaded
 * by the first {@link Publishing.skill}.
 *
 * @see https://github.com/modelcontextprotocol/ext-skills SEP-2640
 */

import type { Ready } from './contents.ts'
import { isPlain, jsonCopy } from './json.ts'
import type { Json } from './metadata.ts'
import { type Redact, redactReady } from './redacting.ts'
import { type Descriptions, type SkillEntry, wireCacheHints } from './registry.ts'
import type { CacheHints } from './source.ts'

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
  /** Further files by their paths in the skill, such as `references/FORMS.md`. Bytes are copied. */
  files?: Record<string, string | Uint8Array<ArrayBuffer>>
  /** Where the skill is: with `acme/billing` the skill `refunds` is `skill://acme/billing/refunds/SKILL.md`. */
  path?: string
  /** How long clients may cache the files. */
  cache?: CacheHints
}

/** The registration of a skill. Call it to remove the skill. */
export interface SkillRegistration {
  (): void
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

/** Limits of a skill that every client supports: SEP-2640, Limits. */
const maxFiles = 512
const maxBytes = 16 << 20
/** Bytes of JSON. */
const maxFrontmatter = 16 << 10

/** What is served by one engine. */
interface Served {
  /** Of each registration, the root of its skill. */
  roots: string[]
  /** Settles when the registration before is finished: the latest one of a skill is served. */
  last: Promise<unknown>
}
const served = new WeakMap<PublishSkill, Served>()

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
  const all = served.get(publish) ?? { roots: [], last: Promise.resolve() }
  served.set(publish, all)
  const before = all.last
  const preparing = prepare(skill, redact)
  const done = preparing.then(async ({ root, added, contents }) => {
    await before.catch(() => {})
    if (removed.aborted) return
    checkNesting(all.roots, root)
    const behind = [...contents.map((ready) => ({ value: { ready } })), {}] // the last is the skill's
    const { remove } = publish(added, behind, true)
    all.roots.push(root)
    removed.addEventListener('abort', () => {
      all.roots.splice(all.roots.indexOf(root), 1)
      remove()
    })
  })
  all.last = Promise.allSettled([before, done]).then(() => {}) // without the results, which would nest
  return done
}

/** A file of a skill. */
interface SkillFile {
  uri: string
  path: string
  content: string | Uint8Array<ArrayBuffer>
}

async function prepare(skill: SkillParameters, redact: Redact | undefined) {
  const { frontmatter, markdown, options } = readSkill(skill)
  const { name, description } = checkFrontmatter(frontmatter)
  const { files = {}, path, cache } = options
  const root = `skill://${path === undefined ? '' : `${checkedPath(path)}/`}${name}`
  const wanted: SkillFile[] = [
    { uri: `${root}/SKILL.md`, path: 'SKILL.md', content: markdown },
    ...checkedFiles(name, files).map(([path, content]) => ({
      uri: `${root}/${path}`,
      path,
      content,
    })),
  ]
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
      ...(isMain && { description }),
    })
    contents.push({ value })
  }
  const main = described[0]?.uri === `${root}/SKILL.md` ? (contents[0]?.value as string) : ''
  if (!main.startsWith(writeFrontmatter(frontmatter))) {
    // Clients refuse a skill whose entry differs from its file.
    throw new TypeError(`redact changes the frontmatter of the skill ${name}, or removes it`)
  }
  const entry: SkillEntry = {
    uri: `${root}/SKILL.md`,
    frontmatter,
    resources: resources.every(({ digest }) => digest) ? resources : 'dynamic',
  }
  return { root, added: { resources: described, skills: [entry] }, contents }
}

function readSkill([description, instructions, options = {}]: SkillParameters) {
  if (typeof instructions !== 'string') throw new TypeError('skill needs its instructions, a text')
  if (instructions.startsWith('---')) {
    throw new TypeError('the instructions begin with frontmatter, which skill writes: leave it out')
  }
  if (!isPlain(description)) throw new TypeError('skill needs a description: { name, description }')
  const frontmatter = jsonCopy(description) as Record<string, Json>
  const markdown = checkedText('SKILL.md', `${writeFrontmatter(frontmatter)}\n${instructions}`)
  return { frontmatter, markdown, options }
}

/** Texts that some version of YAML reads as a boolean or nothing where they are not quoted. */
const reserved = /^(?:y|n|yes|no|on|off|true|false|null)$/i

/**
 * The frontmatter of a SKILL.md, with the lines around it: YAML that all parsers of clients read alike. Values are JSON.
 *
 * @see https://yaml.org/spec/1.2.2/
 */
function writeFrontmatter(object: Record<string, Json>): string {
  return `---\n${writeMapping(object, '')}---\n`
}

function writeMapping(object: Record<string, Json>, indent: string): string {
  return Object.entries(object)
    .map(([key, value]) => {
      const name = /^[A-Za-z_][\w-]*$/.test(key) && !reserved.test(key) ? key : JSON.stringify(key)
      const text =
        isPlain(value) && Object.keys(value).length > 0
          ? `\n${writeMapping(value as Record<string, Json>, `${indent}  `)}`
          : ` ${JSON.stringify(value)}\n`
      return `${indent}${name}:${text}`
    })
    .join('')
}

/** @see https://agentskills.io/specification */
function checkFrontmatter(frontmatter: Record<string, Json>) {
  const { name, description, metadata } = frontmatter
  if (typeof name !== 'string' || name.length > 64 || !/^[a-z0-9]+(?:-[a-z0-9]+)*$/.test(name)) {
    throw new TypeError(
      `the name of a skill is 1 to 64 of a-z, 0-9 and single hyphens between them, not ${short(name)}`,
    )
  }
  const text = (field: string, most: number) => {
    const value = frontmatter[field]
    if (value === undefined) return
    if (typeof value !== 'string' || value.trim() === '' || value.length > most) {
      throw new TypeError(`${field} of the skill ${name} must be a text of 1 to ${most} characters`)
    }
  }
  if (description === undefined) {
    throw new TypeError(`the skill ${name} needs a description: what it is for, and when to use it`)
  }
  text('description', 1024)
  text('compatibility', 500)
  text('license', 1024)
  text('allowed-tools', 1024)
  if (
    metadata !== undefined &&
    !(isPlain(metadata) && Object.values(metadata).every((value) => typeof value === 'string'))
  ) {
    throw new TypeError(`metadata of the skill ${name} must be an object of texts`)
  }
  if (frontmatter.hooks !== undefined) {
    throw new TypeError(
      `the skill ${name} has hooks, commands that some clients would run: leave them out`,
    )
  }
  checkValues(name, frontmatter)
  if (new TextEncoder().encode(JSON.stringify(frontmatter)).length > maxFrontmatter) {
    throw new TypeError(`the frontmatter of the skill ${name} has more than 16 KiB`)
  }
  return { name, description: description as string }
}

/** What a terminal or a reader cannot see, except line ends, tabs and joiners. */
const hidden = /[^\P{C}\n\t\u200c\u200d]|[\u2028\u2029\u2800]/u

function checkValues(name: string, value: Json) {
  if (typeof value === 'string' && hidden.test(value)) {
    throw new TypeError(`the frontmatter of the skill ${name} has hidden or control characters`)
  }
  if (typeof value === 'number' && /e/.test(String(value))) {
    throw new TypeError(`write the number ${value} of the skill ${name} as a text`)
  }
  if (typeof value !== 'object' || value === null) return
  for (const [key, member] of Object.entries(value)) {
    checkValues(name, key)
    checkValues(name, member)
  }
}

function checkedPath(path: string): string {
  if (!/^[a-z0-9][a-z0-9._-]*(?:\/[a-z0-9][a-z0-9._-]*)*$/.test(path) || path.length > 1000) {
    throw new TypeError(
      `path must be names of a-z, 0-9, ".", "_" and "-" with "/" between them, not ${short(path)}`,
    )
  }
  return path
}

function checkedFiles(name: string, files: Required<SkillOptions>['files']) {
  const entries = Object.entries(files)
  if (entries.length >= maxFiles) {
    throw new TypeError(`the skill ${name} has more than ${maxFiles} files`)
  }
  const paths = new Set(['skill.md']) // in lower case: some file systems know no other
  const directories = new Set<string>()
  return entries.map(([path, content]): [string, string | Uint8Array<ArrayBuffer>] => {
    const segment = '[\\w~+@-][\\w.~+@-]*'
    if (!new RegExp(`^${segment}(?:/${segment})*$`).test(path) || path.length > 1000) {
      throw new TypeError(
        `a file of the skill ${name} has the path ${short(path)}: use relative paths of letters, digits, ".", "_", "-", "~", "+", "@" and "/"`,
      )
    }
    const lower = path.toLowerCase()
    const parents = lower.split('/').map((_, i, all) => all.slice(0, i + 1).join('/'))
    parents.pop()
    if (paths.has(lower) || directories.has(lower) || parents.some((above) => paths.has(above))) {
      throw new TypeError(`the skill ${name} has another file or directory at ${short(path)}`)
    }
    paths.add(lower)
    for (const above of parents) directories.add(above)
    if (typeof content === 'string') return [path, checkedText(path, content)]
    if (!(content instanceof Uint8Array)) {
      throw new TypeError(`${short(path)} of the skill ${name} must be a text or a Uint8Array`)
    }
    return [path, content.slice()]
  })
}

/** Lone surrogates cannot be sent: the bytes would not be those of the digest. */
function checkedText(path: string, text: string): string {
  if (!text.isWellFormed()) {
    throw new TypeError(`${short(path)} has half of a character: cut its text between characters`)
  }
  return text
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

/** The entry of a skill would have to list the files of a skill below it: SEP-2640, Resources. */
function checkNesting(roots: readonly string[], root: string) {
  const outer = roots.find((other) => root.startsWith(`${other}/`))
  if (outer || roots.some((other) => other.startsWith(`${root}/`))) {
    throw new TypeError(
      `${root} would be inside of another skill${outer ? `, ${outer}` : ', or around one'}: choose another path`,
    )
  }
}

const short = (value: unknown) => JSON.stringify(String(value).slice(0, 100))
