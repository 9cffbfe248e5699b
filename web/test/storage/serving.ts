import { after, before } from 'node:test'
import { type Served, serve } from '../harness/serve.ts'
import type {} from './kit.ts' // declares globalThis.storageKit

/** Serves a page with the kit of kit.ts for the tests of a file. */
export function servePage(): { url: () => string } {
  let served: Served | undefined
  before(async () => {
    const head =
      '<!doctype html><html lang="en"><meta charset="utf-8"><link rel="icon" href="data:,"><title>storage</title>'
    served = await serve({
      files: {
        '/': `${head}<script type="module" src="/test/storage/kit.ts"></script>`,
        '/sandbox.html': `${head}<script type="module">
          import '/test/storage/kit.ts'
          const source = storageKit.storage({ local: ['theme'] })
          source.watch(() => {}, new AbortController().signal)
          const uris = await storageKit.uris(source)
          parent.postMessage([uris, await storageKit.tryRead(source, 'storage:///local/theme')], '*')
        </script>`,
      },
      headers: { 'access-control-allow-origin': '*' }, // for sandboxed frames, which have no origin
      directories: {
        '/src/': `${import.meta.dirname}/../../src`,
        '/test/': `${import.meta.dirname}/..`,
        '/testdata/': `${import.meta.dirname}/../../../testdata`,
      },
    })
  })
  after(() => served?.close())
  return { url: () => `${served?.origin}/` }
}
