import { after, before } from 'node:test'
import { type Served, serve } from '../harness/serve.ts'

/** Serves an empty page with the kit of a test directory for the tests of a file. */
export function servePage(kit: string): { url: () => string; other: () => string } {
  let served: Served | undefined
  before(async () => {
    const head = '<!doctype html><html lang="en"><meta charset="utf-8"><title>files</title>'
    served = await serve({
      files: {
        '/': `${head}<script type="module" src="/test/${kit}/page.ts"></script>`,
        '/data.json': '{"from":"the network"}',
      },
      directories: {
        '/src/': `${import.meta.dirname}/../../src`,
        '/test/': `${import.meta.dirname}/..`,
      },
    })
  })
  after(() => served?.close())
  return { url: () => `${served?.origin}/`, other: () => `${served?.otherOrigin}/` }
}
