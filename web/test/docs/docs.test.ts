// The documentation holds together: links lead somewhere, examples parse, quoted messages exist.

import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import {
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { type Fence, readMarkdown, slug } from './markdown.ts'
import { messagePattern, sourceText } from './messages.ts'

const root = fileURLToPath(new URL('../../../', import.meta.url))
const ownHost = 'https://github.com/pagemcp/pagemcp/blob/main/'
const skipped = new Set(['node_modules', 'dist', 'bin', 'testdata', '.git', '.cache', '.messages'])

/** Files below a directory of the repository whose names fit; paths from the root. */
function filesOf(directory: string, fits: RegExp): string[] {
  return readdirSync(path.join(root, directory), { withFileTypes: true }).flatMap((entry) => {
    const name = path.posix.join(directory, entry.name)
    if (entry.isDirectory()) return skipped.has(entry.name) ? [] : filesOf(name, fits)
    return entry.isFile() && fits.test(name) ? [name] : []
  })
}

const read = (name: string) => readFileSync(path.join(root, name), 'utf8')
const exists = (name: string) =>
  statSync(path.join(root, name), { throwIfNoEntry: false }) !== undefined
const documents = new Map(filesOf('', /\.md$/).map((name) => [name, readMarkdown(read(name))]))

/** What is wrong with a link of a document, or undefined. */
function problemOf(from: string, link: string): string | undefined {
  const own = link.startsWith(ownHost)
  if (!own && /^[a-z][a-z+.-]*:/i.test(link)) return undefined // another site
  const [file = '', anchor] = (own ? link.slice(ownHost.length) : link).split('#')
  const base = own ? '' : path.posix.dirname(from)
  const target = file === '' && !own ? from : path.posix.join(base, decodeURIComponent(file))
  if (!exists(target)) {
    return `${from} links to ${link}: there is no ${target}`
  }
  if (anchor === undefined || documents.get(target)?.anchors.has(anchor)) return undefined
  return `${from} links to ${link}: ${target} has no heading with that anchor`
}

test('relative links and links to this repository lead to a file and a heading', () => {
  const links = [...documents].flatMap(([name, { links }]) => links.map((link) => [name, link]))
  assert.ok(links.length > 50, `found ${links.length} links`)
  const problems = links.map(([name = '', link = '']) => problemOf(name, link))
  assert.deepEqual(
    problems.filter((problem) => problem !== undefined),
    [],
  )
})

test('files that the documentation names exist', () => {
  const named = [...documents].flatMap(([from, { code }]) =>
    code.filter((text) => fileName.test(text)).map((name) => ({ from, name })),
  )
  assert.ok(named.length > 10, `found ${named.length} names`)
  assert.deepEqual(
    named.filter(({ name }) => !exists(name)),
    [],
  )
})

/** Paths of what is committed: `dist` is not. */
const fileName = /^(?:cmd|server|testdata|wasm|web)\/[\w./-]+$/

test('pages and sections of web/docs that sources name exist', () => {
  const sources = ['cmd', 'server', 'wasm', 'web'].flatMap((directory) =>
    filesOf(directory, /\.(?:go|ts|tsx|txtar)$/),
  )
  const named = sources.flatMap((from) =>
    [...read(from).matchAll(/\b(web\/docs\/[\w-]+\.md)(?:, "([^"]+)")?/g)].map(
      ([, page = '', section]) => ({ from, page, section }),
    ),
  )
  assert.ok(named.length > 5, `found ${named.length} names`)
  assert.deepEqual(
    named.filter(({ page, section }) => {
      const anchors = documents.get(page)?.anchors
      return anchors === undefined || (section !== undefined && !anchors.has(slug(section)))
    }),
    [],
  )
})

test('each page in web/docs is linked from both READMEs', () => {
  const pages = filesOf('web/docs', /\.md$/)
  assert.ok(pages.length > 0, 'web/docs has no page')
  const missing = pages.flatMap((page) => [
    ...(documents.get('README.md')?.links.includes(page) ? [] : [`README.md: ${page}`]),
    ...(documents.get('web/README.md')?.links.includes(ownHost + page)
      ? []
      : [`web/README.md: ${page}`]),
  ])
  assert.deepEqual(missing, [])
})

test('README.md has at most 150 lines', () => {
  const lines = read('README.md').split('\n').length - 1
  assert.ok(lines <= 150, `README.md has ${lines} lines`)
})

/** Fences of the documentation in one of these languages, with the name of their file. */
function fencesIn(...languages: string[]): (Fence & { from: string })[] {
  const found = [...documents].flatMap(([from, { fences }]) =>
    fences.map((fence) => ({ ...fence, from })),
  )
  return found.filter(({ language }) => languages.includes(language))
}

/** Writes fences into files, so that a program can read them, and returns what it says of them. */
function checkFiles(
  fences: readonly (Fence & { from: string })[],
  check: (directory: string, files: string[]) => string,
): string {
  const directory = mkdtempSync(path.join(tmpdir(), 'pagemcp-docs-'))
  try {
    const files = fences.map(({ from, language, text }, number) => {
      const file = `${from.replaceAll('/', '-')}-${number + 1}.${language}`
      writeFileSync(path.join(directory, file), `${text}\n`)
      return file
    })
    return check(directory, files)
  } finally {
    rmSync(directory, { recursive: true }) // a link in it is removed, not followed
  }
}

/** Runs a program and returns its output, which is empty if it finds nothing wrong. */
function run(command: string, args: string[], cwd: string): string {
  const { error, status, stdout, stderr } = spawnSync(command, args, {
    cwd,
    encoding: 'utf8',
    timeout: 200_000,
  })
  if (error) throw error
  return status === 0 ? '' : `${stdout}${stderr}` || `${command} ended with ${status}`
}

/** What the compiler says of TypeScript examples, with the settings of the package's own sources. */
function compile(fences: readonly (Fence & { from: string })[]): string {
  const web = path.join(root, 'web')
  return checkFiles(fences, (directory, files) => {
    symlinkSync(path.join(web, 'node_modules'), path.join(directory, 'node_modules'))
    const declarations = ['wasm_exec.d.ts', 'joplin-gfm.d.ts'].map((name) => path.join(web, name))
    const settings = {
      extends: path.join(web, 'tsconfig.json'),
      compilerOptions: { moduleDetection: 'force' },
      include: undefined,
      files: [...declarations, ...files],
    }
    writeFileSync(path.join(directory, 'tsconfig.json'), JSON.stringify(settings))
    return run(process.execPath, [path.join(web, 'node_modules/typescript/bin/tsc')], directory)
  })
}

function parseShell(fences: readonly (Fence & { from: string })[]): string {
  return checkFiles(fences, (directory, files) =>
    files.map((file) => run('bash', ['-n', file], directory)).join(''),
  )
}

test('TypeScript examples compile', () => {
  const fences = fencesIn('ts', 'tsx')
  assert.ok(fences.length > 5, `found ${fences.length} examples`)
  const broken = { from: 'broken', language: 'ts', text: "import { started } from 'pagemcp'" }
  const problems = compile([broken, ...fences])
    .trim()
    .split('\n')
  assert.deepEqual(
    problems.filter((line) => !line.startsWith('broken-1.ts')),
    [],
  )
  assert.match(problems.join('\n'), /'started'/)
})

test('shell examples parse', () => {
  assert.match(parseShell([{ from: 'broken.md', language: 'sh', text: 'echo "x' }]), /broken\.md/)
  const fences = fencesIn('sh')
  assert.ok(fences.length > 3, `found ${fences.length} examples`)
  assert.equal(parseShell(fences), '')
})

test('JSON examples parse', () => {
  const fences = fencesIn('json')
  assert.ok(fences.length > 1, `found ${fences.length} examples`)
  for (const { from, text } of fences)
    assert.doesNotThrow(() => JSON.parse(text), `${from}: ${text}`)
})

test('labels that the playground README names are texts of its interface', () => {
  const texts = filesOf('web/playground/locale/en', /\.ts$/).map(read).join('\n')
  const labels = documents.get('web/playground/README.md')?.labels ?? []
  assert.ok(labels.length > 10, `found ${labels.length} labels`)
  assert.deepEqual(
    labels.filter((label) => !texts.includes(`'${label}'`)),
    [],
  )
})

test('messages that troubleshooting.md quotes occur in the sources', () => {
  const sources = [
    ...['cmd/pagemcp', 'server', 'wasm'].flatMap((directory) => filesOf(directory, /\.go$/)),
    ...filesOf('web/src', /\.ts$/),
  ].filter((name) => !name.endsWith('_test.go'))
  const text = sources.map((name) => sourceText(read(name))).join('\n')
  const messages = documents.get('web/docs/troubleshooting.md')?.messages ?? []
  assert.ok(messages.length > 10, `found ${messages.length} messages`)
  assert.deepEqual(
    messages.filter((message) => !messagePattern(message).test(text)),
    [],
  )
})

test('a quoted message is found where the sources build it', () => {
  const table: [message: string, source: string, found: boolean][] = [
    ['no gateway', "new Error('no gateway')", true],
    ['no gateway', '// no gateway', false],
    ['no gateway', ' * no gateway', false],
    ['port … is taken', 'fmt.Errorf("port %d is taken", port)', true],
    ['origin …: want https', 'fmt.Errorf("origin %q: want https", o)', true],
    ['bad … here', 'errors.New("bad " + name + " here")', true],
    // biome-ignore lint/suspicious/noTemplateCurlyInString: source text of a template
    ['no answer from …', 'new Error(`no answer from ${origin}`)', true],
    ['"x" is wrong', String.raw`errors.New("\"x\" is wrong")`, true],
    ['…: its name is missing', 'errors.New(Quoted(e) + ": its name is missing")', true],
    ['port … is taken', 'fmt.Errorf("port is taken")', false],
    ['port … is taken', 'fmt.Errorf("port 80 is taken")', false],
  ]
  for (const [message, source, found] of table) {
    assert.equal(messagePattern(message).test(sourceText(source)), found, `${message} in ${source}`)
  }
})

test('anchors are those of GitHub', () => {
  const table: [heading: string, anchor: string][] = [
    ['What never leaves', 'what-never-leaves'],
    ['Binding: postMessage', 'binding-postmessage'],
    ['Content-Security-Policy and Trusted Types', 'content-security-policy-and-trusted-types'],
    ['Names, tokens & keys', 'names-tokens--keys'],
    ['`--no-token` is set', '--no-token-is-set'],
  ]
  for (const [heading, anchor] of table) assert.equal(slug(heading), anchor)
  assert.deepEqual([...readMarkdown('# A\n\n## `A`\n\n## A').anchors], ['a', 'a-1', 'a-2'])
})

test('links in code are no links, and those in HTML are', () => {
  const { links } = readMarkdown('`[a](b)` [c](d) ![e](f)\n\n```md\n[g](h)\n```\n\n<img src="i">\n')
  assert.deepEqual(links, ['d', 'f', 'i'])
})
