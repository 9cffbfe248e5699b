// The recipes of docs/guide.md for frameworks, compiled by their compilers and run with an engine; that they
// fit the types of the frameworks is a test of the documentation. Angular's is only compiled: an effect of it needs
// an application.

import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { rolldown } from 'rolldown'
import { compileModule } from 'svelte/compiler'
import type { PageMcp } from '../../src/index.ts'
import { testPage } from '../core/page.ts'
import { readMarkdown } from '../docs/markdown.ts'
import { resultOf, until } from '../harness/client.ts'

const web = join(import.meta.dirname, '../..')
const cache = join(web, 'node_modules/.cache')

/** The recipe whose first line names a framework. */
function recipe(framework: string): string {
  const { fences } = readMarkdown(readFileSync(join(web, 'docs/guide.md'), 'utf8'))
  const found = fences.filter(({ text }) => text.startsWith(`// ${framework}`))
  assert.equal(found.length, 1, framework)
  return found[0]?.text ?? ''
}

/** What a component does: it has the items, sets them, and is destroyed. */
interface Component {
  set(items: string[]): void
  destroy(): void
}
type Setup = (mcp: PageMcp, items: string[]) => Component

/** Bundles modules as for a browser, and loads the result. */
async function load<M>(t: TestContext, files: { readonly [name: string]: string }): Promise<M> {
  mkdirSync(cache, { recursive: true })
  const directory = mkdtempSync(join(cache, 'pagemcp-recipe-'))
  t.after(() => rmSync(directory, { recursive: true }))
  for (const [name, text] of Object.entries(files)) writeFileSync(join(directory, name), text)
  const bundle = await rolldown({
    input: join(directory, Object.keys(files)[0] ?? ''),
    platform: 'browser',
    logLevel: 'silent',
    transform: { define: { 'process.env.NODE_ENV': '"production"' } },
  })
  await bundle.write({
    dir: directory,
    format: 'esm',
    entryFileNames: 'built.mjs',
    codeSplitting: false,
  })
  await bundle.close()
  return (await import(pathToFileURL(join(directory, 'built.mjs')).href)) as M
}

/** Reads the resource of the recipes before, between and after. */
async function works(t: TestContext, setup: Setup): Promise<void> {
  const { mcp, client: newClient, errors } = await testPage(t)
  const client = newClient()
  const list = async () => {
    const answer = await client.askModern('resources/read', { uri: 'notes://shopping' })
    if (answer.error) return 'gone'
    return resultOf<{ contents: { text: string }[] }>(answer).contents[0]?.text
  }
  await client.initialize()
  const component = setup(mcp, ['2 apples'])
  await client.ask('resources/subscribe', { uri: 'notes://shopping' })
  assert.equal(await list(), '["2 apples"]')
  const from = client.got.length
  component.set(['2 apples', '1 pear'])
  await client.next(({ method }) => method === 'notifications/resources/updated', from)
  assert.equal(await list(), '["2 apples","1 pear"]')
  component.destroy()
  for (let text = await list(); text !== 'gone'; text = await list())
    await until(() => true, 'a turn')
  assert.deepEqual(errors, [])
}

test('JavaScript: the recipe serves, changes and removes a resource', async (t) => {
  const { serveList } = await load<{
    serveList(mcp: PageMcp, items: string[], button: EventTarget): () => void
  }>(t, { 'recipe.ts': recipe('JavaScript') })
  await works(t, (mcp, items) => {
    const button = new EventTarget()
    const destroy = serveList(mcp, items, button)
    return { set: () => button.dispatchEvent(new Event('click')), destroy }
  })
})

test('Vue: the recipe serves, changes and removes a resource', async (t) => {
  const { setup } = await load<{ setup: Setup }>(t, {
    'setup.ts': `
      import { effectScope, ref } from 'vue'
      import { serveList } from './recipe.ts'
      export function setup(mcp, first) {
        const scope = effectScope()
        const items = ref(first)
        scope.run(() => serveList(mcp, items))
        return { set: (now) => items.value.splice(0, Infinity, ...now), destroy: () => scope.stop() }
      }`,
    'recipe.ts': recipe('Vue'),
  })
  await works(t, setup)
})

test('Solid: the recipe serves, changes and removes a resource', async (t) => {
  const { setup } = await load<{ setup: Setup }>(t, {
    'setup.ts': `
      import { createRoot, createSignal } from 'solid-js'
      import { serveList } from './recipe.ts'
      export const setup = (mcp, first) => createRoot((destroy) => {
        const [items, set] = createSignal(first)
        serveList(mcp, items)
        return { set, destroy }
      })`,
    'recipe.ts': recipe('Solid'),
  })
  await works(t, setup)
})

test('Svelte: the recipe serves, changes and removes a resource', async (t) => {
  const compiled = (code: string, filename: string) =>
    compileModule(code, { filename, generate: 'client' }).js.code
  // The compiler of modules takes JavaScript: types are removed by Svelte's bundler plugin before.
  const { stripTypeScriptTypes } = (await import('node:module')) as unknown as {
    stripTypeScriptTypes(code: string): string
  }
  const { setup } = await load<{ setup: Setup }>(t, {
    'setup.js': compiled(
      `import { serveList } from './recipe.js'
      export function setup(mcp, first) {
        let items = $state(first)
        const destroy = $effect.root(() => { serveList(mcp, () => items) })
        return { set(now) { items.splice(0, Infinity, ...now) }, destroy }
      }`,
      'setup.svelte.js',
    ),
    'recipe.js': compiled(stripTypeScriptTypes(recipe('Svelte')), 'recipe.svelte.js'),
  })
  await works(t, setup)
})

test('Angular: the recipe compiles', async (t) => {
  const module = await load<{ serveList: unknown }>(t, { 'recipe.ts': recipe('Angular') })
  assert.equal(typeof module.serveList, 'function')
})
