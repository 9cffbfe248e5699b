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

const root = fileURLToPath(new URL('../../../', import.meta.url))
const ownHost = 'https://github.com/pagemcp/pagemcp/blob/main/'
const skipped = new Set(['node_modules', 'dist', 'bin', '.git', '.cache', '.messages'])

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
/** Without texts of a release, which are parts of documents: `go test ./server/published` reads them. */
const documents = new Map(
  filesOf('', /\.md$/)
    .filter((name) => !name.startsWith('server/published/texts/'))
    .map((name) => [name, readMarkdown(read(name))]),
)

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
  assert.ok(links.length > 0, `found ${links.length} links`)
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
  assert.ok(named.length > 0, `found ${named.length} names`)
  assert.deepEqual(
    named.filter(({ name }) => !exists(name)),
    [],
  )
})

test('the functions on the path of a request exist in the files that contributors read', () => {
  const rows = [
    ...read('.github/CONTRIBUTING.md').matchAll(/^\| \[([\w./-]+)\]\([^)]*\) \| `(\w+)` \|/gm),
  ]
  assert.ok(rows.length > 5, `found ${rows.length} rows`)
  const missing = rows.filter(
    ([, file = '', name]) => !new RegExp(`\\b${name}\\(`).test(read(file)),
  )
  assert.deepEqual(
    missing.map(([row]) => row),
    [],
  )
})

/** Paths of what is committed: `dist` is not. */
const fileName = /^(?:cmd|server|testdata|wasm|web)\/[\w./-]+$/

test('pages and sections that sources name exist', () => {
  const sources = ['cmd', 'server', 'wasm', 'web'].flatMap((directory) =>
    filesOf(directory, /\.(?:go|ts|tsx|txtar)$/),
  )
  const named = sources.flatMap((from) =>
    [...read(from).matchAll(/\b((?:web\/docs|testdata)\/[\w-]+\.md)(?:, "([^"]+)")?/g)].map(
      ([, page = '', section]) => ({ from, page, section }),
    ),
  )
  assert.ok(named.length > 0, `found ${named.length} names`)
  assert.deepEqual(
    named.filter(({ page, section }) => {
      const anchors = documents.get(page)?.anchors
      return anchors === undefined || (section !== undefined && !anchors.has(slug(section)))
    }),
    [],
  )
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
    const declarations = ['wasm_exec.d.ts'].map((name) => path.join(web, name))
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
  assert.ok(fences.length > 0, `found ${fences.length} examples`)
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
  assert.ok(fences.length > 0, `found ${fences.length} examples`)
  assert.equal(parseShell(fences), '')
})

/** Lines of shell examples that run the program, as words, with the file. */
function commandLines(): { from: string; words: string[] }[] {
  return fencesIn('sh').flatMap(({ from, text }) =>
    text
      .replaceAll('\\\n', ' ')
      .split('\n')
      .flatMap((line) => {
        const own = /^\s*(?:bin\/)?pagemcp(?: (.*))?$/.exec(line.replace(/\s+#.*$/, ''))
        return own ? [{ from, words: (own[1] ?? '').split(/\s+/) }] : []
      }),
  )
}

/** What `pagemcp … --help` prints; `''` if there is no such command. */
function helpOf(command: readonly string[]): string {
  const { status, stdout } = spawnSync(path.join(root, 'bin/pagemcp'), [...command, '--help'], {
    encoding: 'utf8',
    timeout: 20_000,
  })
  return status === 0 && stdout.includes(`pagemcp ${command.join(' ')}`) ? stdout : ''
}

test('commands in shell examples exist, with their flags', () => {
  assert.equal(helpOf(['such', 'a']), '')
  const lines = commandLines()
  assert.ok(lines.length > 0, `found ${lines.length} lines`)
  const problems = lines.flatMap(({ from, words }) => {
    const [command = '', sub = '-'] = words
    const help = helpOf([command]) + (sub.startsWith('-') ? '' : helpOf([command, sub]))
    const flags = words
      .filter((word) => word.startsWith('--'))
      .map((word) => word.split('=')[0] ?? '')
    const missing = flags.filter((flag) => !help.includes(flag))
    return help !== '' && missing.length === 0 ? [] : [`${from}: pagemcp ${words.join(' ')}`]
  })
  assert.deepEqual(problems, [])
})

test('JavaScript examples parse', () => {
  const fences = fencesIn('js', 'mjs')
  assert.ok(fences.length > 0, `found ${fences.length} examples`)
  const check = (all: readonly (Fence & { from: string })[]) =>
    checkFiles(
      all.map((fence) => ({ ...fence, language: 'mjs' })),
      (directory, files) =>
        files.map((file) => run(process.execPath, ['--check', file], directory)).join(''),
    )
  assert.match(check([{ from: 'broken.md', language: 'js', text: 'const = 1' }]), /broken/)
  assert.equal(check(fences), '')
})

test('Go examples are parts of examples that are compiled', () => {
  const fences = fencesIn('go')
  assert.ok(fences.length > 0)
  const lines = (text: string) => text.split('\n').map((line) => line.trim())
  const compiled = lines(read('server/example_test.go')).join('\n')
  const missing = fences.filter(({ text }) => !compiled.includes(lines(text).join('\n')))
  assert.deepEqual(missing, [])
})

test('JSON examples parse', () => {
  const fences = fencesIn('json')
  assert.ok(fences.length > 0, `found ${fences.length} examples`)
  for (const { from, text } of fences)
    assert.doesNotThrow(() => JSON.parse(text), `${from}: ${text}`)
})
