/**
 * Lists what translations lack, and what no English text has any more, for each program and language:
 * `node web/texts/check.ts`. `--prune` removes the latter.
 */

import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'

const web = join(import.meta.dirname, '..')

type Tree = { [key: string]: unknown }

const camelCase = (name: string) =>
  name.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase())

/** Programs whose texts are one module. */
const modules = {
  consent: 'src/access/dialog.ts',
  panel: 'src/access/panel.ts',
  extension: 'extension/popup.texts.ts',
}

/** The English texts of each program, from its modules. */
async function english(): Promise<Record<string, Tree>> {
  const playground: Tree = {}
  const demos: Tree = {}
  for (const file of globSync('playground/**/*.texts.ts', { cwd: web })) {
    const area = camelCase(basename(file, '.texts.ts'))
    playground[area] = (await import(join(web, file))).en
  }
  for (const file of globSync('demo/**/texts/en.ts', { cwd: web })) {
    const [, name = ''] = file.split('/')
    demos[name === 'texts' ? 'start' : name] = (await import(join(web, file))).texts
  }
  const others: Record<string, Tree> = {}
  for (const [program, file] of Object.entries(modules)) {
    others[program] = (await import(join(web, file))).en
  }
  return { playground, demos, ...others }
}

const isTree = (value: unknown): value is Tree =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Keys of `texts` that `others` lacks. Plural forms differ by language: of those, `other` counts. */
function* missing(texts: Tree, others: unknown, path: string[] = []): Generator<string[]> {
  for (const [key, text] of Object.entries(texts)) {
    if (key !== 'other' && 'other' in texts) continue
    if (key.includes('://')) continue // a URI: the English text is in the data that it names
    const other = isTree(others) ? others[key] : undefined
    if (other === undefined) yield [...path, key]
    else if (isTree(text)) yield* missing(text, other, [...path, key])
  }
}

let count = 0
for (const [program, texts] of Object.entries(await english())) {
  for (const file of globSync(`texts/${program}.*.json`, { cwd: web }).sort()) {
    const translation = JSON.parse(readFileSync(join(web, file), 'utf8')) as Tree
    for (const path of missing(texts, translation)) {
      process.stdout.write(`${file} lacks ${path.join('.')}\n`)
      count++
    }
    const stale = [...missing(translation, texts)]
    for (const path of stale) {
      process.stdout.write(`${file} has ${path.join('.')}, which is not in English\n`)
      const parent = path.slice(0, -1).reduce((at, key) => at[key] as Tree, translation)
      delete parent[path.at(-1) ?? '']
    }
    if (stale.length > 0 && process.argv.includes('--prune')) {
      writeFileSync(join(web, file), `${JSON.stringify(translation, undefined, 2)}\n`)
    } else count += stale.length
  }
}
process.exitCode = count === 0 ? 0 : 1
