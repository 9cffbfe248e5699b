// Files of the package that are not where the app looks for them: errors name the URL, and what may be wrong.

import assert from 'node:assert/strict'
import { inBrowsers, type TestBrowser } from '../harness/browsers.ts'
import type { BrowserName } from '../harness/launch.ts'
import { serve } from '../harness/serve.ts'
import { packageDirectory } from './drive.ts'

const cases: readonly {
  what: string
  urls: object
  message: RegExp
  only?: readonly BrowserName[]
}[] = [
  {
    what: 'engine.wasm is missing',
    urls: { wasm: '/missing.wasm' },
    message: /^engine\.wasm did not load from \/missing\.wasm: status 404; .*optimizeDeps.*esbuild/,
  },
  {
    what: 'the server answers for engine.wasm with a page',
    urls: { wasm: '/' },
    message: /^engine\.wasm did not load from \/: the server answered with HTML; .*optimizeDeps/,
  },
  {
    what: 'worker.js is missing',
    urls: { worker: '/missing.js' },
    message:
      /^the engine's Worker does not start: .*127\.0\.0\.1:\d+\/missing\.js.*worker-src.*optimizeDeps/,
  },
  {
    what: 'another origin answers for worker.js with a page',
    urls: { worker: 'OTHER/' },
    message: /^the engine's Worker does not start: .*localhost:\d+\/.*worker-src/,
    only: ['chromium'], // Firefox reports a load that ends with its Worker as an uncaught error of the page
  },
]

for (const { what, urls, message, only } of cases) {
  const run = async ({ open }: TestBrowser) => {
    const files: { [path: string]: string } = { '/': '<!doctype html><title>app</title>' }
    const site = await serve({
      directories: { '/pagemcp/': packageDirectory },
      files,
      headers: { 'access-control-allow-origin': '*' },
    })
    try {
      const tab = await open(`${site.origin}/`)
      const settings = JSON.stringify(urls).replace('OTHER', site.otherOrigin)
      const failure = await tab.evaluate(`(async () => {
        const { start } = await import('/pagemcp/index.js')
        return start({ name: 'app', urls: ${settings} }).ready.then(() => 'started', (error) => error.message)
      })()`)
      assert.match(String(failure), message)
    } finally {
      await site.close()
    }
  }
  inBrowsers(`start says what is wrong if ${what}`, run, only && { only })
}
