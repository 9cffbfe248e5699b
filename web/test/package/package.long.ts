// What `npm pack` makes of the built package: its files, metadata and declarations.

import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { publint } from 'publint'
import { formatMessage } from 'publint/utils'
import { readMarkdown } from '../docs/markdown.ts'
import { install, modules, run } from './installed.ts'

const app = install(['react', '@types/react', 'csstype'])
after(() => app.remove())

const packed = (file: string) =>
  readFileSync(join(app.directory, 'node_modules/pagemcp', file), 'utf8')
const manifest = JSON.parse(packed('package.json'))

test('the package has its documents, and neither sources nor tests', () => {
  for (const file of ['README.md', 'CHANGELOG.md', 'LICENSE', 'THIRD-PARTY-NOTICES.txt']) {
    assert.ok(app.files.includes(file), file)
  }
  const kinds =
    /^(?:[\w-]+\.js(?:\.map)?|types\/[\w/-]+\.d\.ts|bin\/pagemcp\.js|[A-Z-]+\.(?:md|txt)|LICENSE)$/
  const others = app.files.filter((file) => !kinds.test(file))
  assert.deepEqual(others, ['engine.wasm', 'package.json'])
})

test('package.json says where the package comes from, and has nothing for development', () => {
  const { repository, homepage, bugs, keywords, license, author, engines } = manifest
  assert.match(repository.url, /^git\+https:\/\/github\.com\/pagemcp\/pagemcp\.git$/)
  assert.deepEqual([repository.type, repository.directory], ['git', 'web'])
  assert.match(homepage, /^https:/)
  assert.match(bugs.url ?? bugs, /^https:.*\/issues$/)
  assert.ok(keywords.length >= 5)
  assert.deepEqual([license, author], ['MIT', 'The PageMCP authors'])
  assert.ok(engines.node)
  assert.equal(manifest.publishConfig.provenance, true)
  assert.equal(manifest.sideEffects, false)
  assert.equal(manifest.exports['./package.json'], './package.json')
  for (const name of ['devDependencies', 'dependencies', 'scripts', 'workspaces', 'private']) {
    assert.equal(name in manifest, false, name)
  }
})

test('every file that package.json names is packed', () => {
  const values = (value: unknown): unknown[] =>
    typeof value === 'object' && value !== null ? Object.values(value).flatMap(values) : [value]
  const named = values(manifest)
    .map(String)
    .filter((one) => one.startsWith('./'))
  assert.ok(named.length > 10)
  for (const file of named) assert.ok(app.files.includes(file.slice(2)), file)
})

test('relative links in packed documents lead to packed files, and all others are absolute', () => {
  for (const name of ['README.md', 'CHANGELOG.md']) {
    const { links } = readMarkdown(packed(name))
    for (const link of links) {
      if (/^(?:https?:|mailto:|#)/.test(link)) continue
      assert.ok(app.files.includes(link.split('#')[0] ?? ''), `${name} links to ${link}`)
    }
  }
})

test('sections of the changelog have a version and a date, newest first', () => {
  const headings: string[] = packed('CHANGELOG.md').match(/^## .*$/gm) ?? []
  const released = headings.filter((heading) => heading !== '## Unreleased')
  assert.ok(headings.length > 0 && headings.lastIndexOf('## Unreleased') <= 0)
  for (const heading of released) assert.match(heading, /^## \d+\.\d+\.\d+ \(\d{4}-\d\d-\d\d\)$/)
  const dates = released.map((heading) => heading.slice(-11, -1))
  assert.deepEqual(dates, [...dates].sort().reverse())
})

test('publint finds nothing', async () => {
  const pkgDir = join(app.directory, 'node_modules/pagemcp')
  const { messages } = await publint({ pkgDir, strict: true, pack: false })
  assert.deepEqual(
    messages.map((message) => formatMessage(message, manifest, { color: false })),
    [],
  )
})

test('attw finds nothing', () => {
  const flags = ['--profile', 'esm-only', '--exclude-entrypoints', 'engine.wasm', 'worker.js']
  const cli = join(modules, '@arethetypeswrong/cli/dist/index.js')
  assert.equal(run(app, cli, [app.tarball, ...flags, '--no-color']), '')
})

/** Uses each entry point, with types that are inferred. */
const source = `import { idb, isSecretName, page, redactUrl, start, type PageMcp } from 'pagemcp'
import { assistantName, defineAccess } from 'pagemcp/access'
import { connectTo } from 'pagemcp/client'
import { PageMcpProvider, useResource } from 'pagemcp/react'

export async function serve(cart: string[]): Promise<PageMcp> {
  const mcp = await start({ name: 'app', access: 'ask' })
  defineAccess(mcp)
  mcp.mount(idb({ databases: { app: ['notes'] } }))
  mcp.mount(page({ select: ['main'] }))
  mcp.resource('app:cart', { name: 'Cart' }, () => cart)
  mcp.tool('add', { inputSchema: { type: 'object', properties: { item: { type: 'string' } }, required: ['item'] } }, ({ item }) => {
      const text = String(item)
      cart.push(text)
      return text
    })
  const connection = mcp.connect()
  const joined: Promise<string> = connection.joined
  await joined.catch(() => connection.leave())
  return mcp
}

export const readers = async (mcp: PageMcp): Promise<string[]> =>
  (await mcp.access.grants()).map(({ assistant }) => assistantName(assistant))
export const others = [connectTo, PageMcpProvider, useResource, redactUrl, isSecretName]
export const port: Promise<MessagePort> = connectTo(parent, { origin: 'https://example.com' })
`

for (const compiler of ['oldest-typescript', 'typescript']) {
  for (const resolution of ['bundler', 'node16']) {
    const { version } = JSON.parse(readFileSync(join(modules, compiler, 'package.json'), 'utf8'))
    test(`an app compiles with TypeScript ${version}, strict, moduleResolution ${resolution}`, () => {
      const compilerOptions = {
        target: 'es2022',
        lib: ['es2022', 'dom', 'dom.iterable', 'dom.asynciterable'],
        module: resolution === 'bundler' ? 'esnext' : 'node16',
        moduleResolution: resolution,
        strict: true,
        skipLibCheck: false,
        noEmit: true,
        types: [],
      }
      writeFileSync(join(app.directory, 'app.ts'), source)
      const settings = JSON.stringify({ compilerOptions, files: ['app.ts'] })
      writeFileSync(join(app.directory, 'tsconfig.json'), settings)
      assert.equal(run(app, join(modules, compiler, 'bin/tsc'), ['-p', '.']), '')
    })
  }
}
