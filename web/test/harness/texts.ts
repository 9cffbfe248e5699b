/**
 * Puts the English texts of the playground together under Node, as server/bundle/texts.go does in a bundle. They are in
 * a document, which is empty otherwise.
 */

import { readdirSync } from 'node:fs'
import * as nodeModule from 'node:module'
import { basename, join } from 'node:path'

// @types/node of Node 20 does not know it; tests run in Node 24.
const { registerHooks } = nodeModule as unknown as {
  registerHooks(hooks: {
    load(url: string, context: object, next: (url: string, context: object) => object): object
  }): void
}

Object.assign(globalThis, { document: { documentElement: { dataset: {} }, querySelector() {} } })

const playground = join(import.meta.dirname, '../../playground')
const camelCase = (name: string) =>
  name.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase())

registerHooks({
  load(url, context, next) {
    if (!url.endsWith('/playground/locale/en.ts')) return next(url, context)
    const files = (readdirSync(playground, { recursive: true }) as string[]).filter((name) =>
      name.endsWith('.texts.ts'),
    )
    const areas = files.map((file) => camelCase(basename(file, '.texts.ts')))
    const imports = files.map((file, i) => `import { en as ${areas[i]} } from '../${file}'\n`)
    const source = `${imports.join('')}export const texts = { ${areas.join(', ')} }\n`
    return { format: 'module', shortCircuit: true, source }
  },
})
