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
const users = ['playground', 'demo', 'docs', 'extension']

const built = join(web, '../dist/npm/pagemcp') // by `pagemcp build`

const { exports: declared } = JSON.parse(readFileSync(join(web, 'package.json'), 'utf8')) as {
  exports: Record<string, string>
}

/** Entry points that are modules, 'pagemcp/client', with the names of their files, 'client'. */
const entries = new Map<string, string>(
  Object.entries(declared).flatMap(([path, target]) => {
    const [, file] = /^\.\/src\/(.+)\.ts$/.exec(target) ?? []
    return file === undefined ? [] : [[`pagemcp${path.slice(1)}`, file] as const]
  }),
)

/** Those that contain all that they import. */
const alone = ['access', 'client', 'vite']

/** Specifiers of all imports in a module: statements, `import()` and `import type`. */
function specifiers(text: string): string[] {
  return [...text.matchAll(/(?:\bfrom|\bimport)\s*\(?\s*['"]([^'"]+)['"]/g)].map(
    ([, path = '']) => path,
  )
}

// Modules with state exist once in a page: what has the engine from index.js must not bundle them.
test('demos and extension import the engine by public entry points of the package', () => {
  const wrong: string[] = []
  let imported = 0
  for (const file of globSync(`{${users.join()}}/**/*.{ts,tsx}`, { cwd: web })) {
    for (const path of specifiers(readFileSync(join(web, file), 'utf8'))) {
      const inside = path.startsWith('.') && relative(web, join(web, file, '..', path))
      if (
        typeof inside === 'string' &&
        /^(src\/(index|start|invitation)\.ts$|dist\/)/.test(inside) &&
        !file.startsWith('playground/')
      )
        wrong.push(`${file}: ${path}`)
      if (!/^pagemcp(\/|$)/.test(path)) continue
      imported++
      if (!entries.has(path)) wrong.push(`${file}: ${path} is not in exports of package.json`)
    }
  }
  assert.deepEqual(wrong, [])
  assert.ok(imported > 20, `${imported} imports of the package`)
})

test('documentation names each entry point', () => {
  const pages = fs.readdirSync(join(web, 'docs')).filter((name) => name.endsWith('.md'))
  const text = pages.map((name) => readFileSync(join(web, 'docs', name), 'utf8')).join('\n')
  for (const name of entries.keys()) assert.match(text, new RegExp(`['\`]${name}['\`]`))
})

// Module state must exist once: the invitation is taken from the address when the module is loaded.
test('entry points for few pages load nothing of index.js', () => {
  for (const name of alone) {
    const lazy = name === 'webmcp' ? ['./validate.js'] : []
    assert.deepEqual(imported(`${name}.js`), lazy, name)
  }
})

test('every entry point can be imported where there is no document', async () => {
  for (const name of entries.values()) if (name !== 'react') await import(`${built}/${name}.js`)
})

test('every file that is loaded on demand can be imported where there is no document', async () => {
  for (const file of [...imported('index.js'), ...imported('page-content.js')])
    await import(join(built, file))
})

test('react.js begins with the directive of client components', () => {
  assert.equal(readFileSync(join(built, 'react.js'), 'utf8').slice(0, 12), '"use client"')
})

/** What a built file imports, in order of names. */
function imported(file: string): string[] {
  const code = readFileSync(join(built, file), 'utf8')
  const found = code.matchAll(/\b(?:from|import\(?)"([./\w-]+)"/g)
  return [...new Set([...found].map(([, path = '']) => path))].sort()
}
