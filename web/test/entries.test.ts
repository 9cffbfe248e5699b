/** What the users of the package import of it, and that its entry points share one copy of each module. */

import assert from 'node:assert/strict'
import * as fs from 'node:fs'
import { join, relative } from 'node:path'
import { test } from 'node:test'

// @types/node of Node 20 does not declare globSync; tests run in Node 24.
const { globSync, readFileSync } = fs as typeof fs & {
  globSync(pattern: string, options: { cwd: string }): string[]
}
const web = join(import.meta.dirname, '..')
const users = ['playground', 'demo', 'extension']

const { exports: declared } = JSON.parse(readFileSync(join(web, 'package.json'), 'utf8')) as {
  exports: Record<string, string | { types: string; default: string }>
}

/** Entry points that are modules: './pairing' by 'pagemcp/pairing'. */
const entries = new Map<string, { types: string; default: string }>(
  Object.entries(declared).flatMap(([path, target]) =>
    typeof target === 'string' ? [] : [[`pagemcp${path.slice(1)}`, target] as const],
  ),
)

/** Specifiers of all imports in a module: statements, `import()` and `import type`. */
function specifiers(text: string): string[] {
  return [...text.matchAll(/(?:\bfrom|\bimport)\s*\(?\s*['"]([^'"]+)['"]/g)].map(
    ([, path = '']) => path,
  )
}

test('playground, demos and extension import only public entry points of the package', () => {
  const wrong: string[] = []
  let imported = 0
  for (const file of globSync(`{${users.join()}}/**/*.{ts,tsx}`, { cwd: web })) {
    for (const path of specifiers(readFileSync(join(web, file), 'utf8'))) {
      const inside = path.startsWith('.') && relative(web, join(web, file, '..', path))
      if (typeof inside === 'string' && /^(src|dist)\//.test(inside)) wrong.push(`${file}: ${path}`)
      if (!/^pagemcp(\/|$)/.test(path)) continue
      imported++
      if (!entries.has(path)) wrong.push(`${file}: ${path} is not in exports of package.json`)
    }
  }
  assert.deepEqual(wrong, [])
  assert.ok(imported > 20, `${imported} imports of the package`)
})

test('tsconfig.json names the source of each entry point', () => {
  const { compilerOptions } = JSON.parse(readFileSync(join(web, 'tsconfig.json'), 'utf8')) as {
    compilerOptions: { paths: Record<string, string[]> }
  }
  const sources = [...entries].map(([name, { default: file }]) => [
    name,
    [file.replace('./dist/', './src/').replace(/js$/, 'ts')],
  ])
  assert.deepEqual(compilerOptions.paths, Object.fromEntries(sources))
})

test('documentation names each entry point', () => {
  const page = readFileSync(join(web, 'docs', 'package.md'), 'utf8')
  for (const name of entries.keys()) assert.ok(page.includes(`\`${name}\``), name)
})

// Module state must exist once: the invitation is taken from the address when the module is loaded.
test('other entry points re-export from index.js and have no code of their own', () => {
  for (const name of ['pairing', 'redaction', 'sources']) {
    const code = readFileSync(join(web, 'dist', `${name}.js`), 'utf8')
    assert.match(code, /^(?:import\{[^}]*\}from"\.\/index\.js";)+export\{[^}]*\};\s*$/, name)
    assert.deepEqual([...new Set(specifiers(code))], ['./index.js'])
  }
})

test('every entry point can be imported where there is no document, and exports what it declares', async () => {
  const index = (await import('../dist/index.js' as string)) as Record<string, unknown>
  for (const name of ['pairing', 'redaction', 'sources']) {
    const built = (await import(`../dist/${name}.js`)) as Record<string, unknown>
    const source = (await import(`../src/${name}.ts`)) as Record<string, unknown>
    assert.deepEqual(Object.keys(built).sort(), Object.keys(source).sort())
    for (const [member, value] of Object.entries(built)) assert.equal(value, index[member], member)
  }
})
