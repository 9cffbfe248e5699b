// web/docs/guide.md shows what `make bundlers` runs: its snippets are parts of the apps, its policies and versions
// those of the checks.

import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { readMarkdown } from '../docs/markdown.ts'
import { pageOf } from './hosting.ts'
import { inlined, otherOrigin, ownOrigin, trustedTypes } from './policies.ts'

const page = readFileSync(join(import.meta.dirname, '../../docs/guide.md'), 'utf8')
const { fences, code } = readMarkdown(page)
const cdn = 'https://cdn.example'

/** Files of the apps, by path. */
const files = readdirSync(import.meta.dirname, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile() && entry.parentPath !== import.meta.dirname)
  .map((entry) => join(entry.parentPath, entry.name))
  .map((path) => ({ path, text: readFileSync(path, 'utf8') }))

test('each snippet is a part of an app that is built', () => {
  const languages = ['js', 'jsx', 'svelte', 'vue', 'astro']
  const snippets = fences.filter(({ language }) => languages.includes(language))
  assert.ok(snippets.length > 0, `found ${snippets.length} snippets`)
  const missing = snippets.filter(({ text }) => !files.some((file) => file.text.includes(text)))
  assert.deepEqual(missing, [])
})

test('the page with an import map is the one that is served', () => {
  const snippet = fences.find(({ language }) => language === 'html')?.text ?? 'no snippet'
  const served = pageOf(cdn).replace(/ nonce="[^"]*"/, '')
  assert.ok(served.includes(snippet), snippet)
})

test('each policy is one under which an app runs', () => {
  const policies = [ownOrigin, otherOrigin(cdn), inlined, trustedTypes]
  assert.deepEqual(
    code.filter((text) => text.includes('-src ') || text.includes('-types ')).toSorted(),
    policies.toSorted(),
  )
})

/** The name of a tool on the page, by its package. */
const names: { readonly [tool: string]: string } = {
  '@rspack/core': 'Rspack',
  '@sveltejs/kit': 'SvelteKit',
  astro: 'Astro',
  esbuild: 'esbuild',
  next: 'Next.js',
  nuxt: 'Nuxt',
  parcel: 'Parcel',
  rollup: 'Rollup',
  vite: 'Vite',
  webpack: 'webpack',
}

test('the versions of the table are those that are installed', () => {
  const manifests = files.filter(({ path }) => path.endsWith('package.json'))
  assert.ok(manifests.length > 0, `found ${manifests.length} apps`)
  const problems = manifests.flatMap(({ path, text }) => {
    const versions = Object.entries(
      (JSON.parse(text) as { devDependencies: { [name: string]: string } }).devDependencies,
    )
    const unpinned = versions.filter(([, version]) => !/^\d+\.\d+\.\d+$/.test(version))
    const tools = versions.filter(([name]) => name in names)
    const unnamed = tools.filter(([name, version]) => {
      const minor = version.replace(/\.\d+$/, '').replaceAll('.', '\\.')
      return !new RegExp(`${names[name]} ([\\d., ]*, )?${minor}\\b`).test(page)
    })
    return tools.length === 0 || unpinned.length + unnamed.length > 0
      ? [{ path, unpinned, unnamed }]
      : []
  })
  assert.deepEqual(problems, [])
})
