import { after, before } from 'node:test'
import { shareTab } from './browsers.ts'
import { type Served, serve } from './serve.ts'

export const head =
  '<!doctype html><html lang="en"><meta charset="utf-8"><link rel="icon" href="data:,">'

/**
 * Serves the sources as they are written and what tests evaluate, for the tests of a file, which share a tab.
 *
 * @param kit - path of the module that the page at `/` loads, below test/; its title is that of the
 *   directory
 * @param files - further files, by path
 */
export function serveKit(
  kit: string,
  files: { readonly [path: string]: string } = {},
): { url: (path?: string) => string; other: () => string } {
  let served: Served | undefined
  before(async () => {
    const title = `<title>${kit.split('/')[0]}</title>`
    served = await serve({
      files: { '/': `${head}${title}<script type="module" src="/test/${kit}"></script>`, ...files },
      headers: { 'access-control-allow-origin': '*' }, // for sandboxed frames, which have no origin
      directories: {
        '/src/': `${import.meta.dirname}/../../src`,
        '/texts/': `${import.meta.dirname}/../../texts`,
        '/test/': `${import.meta.dirname}/..`,
        '/testdata/': `${import.meta.dirname}/../../../testdata`,
      },
    })
  })
  after(() => served?.close())
  shareTab(() => served?.origin ?? '')
  return { url: (path = '/') => `${served?.origin}${path}`, other: () => `${served?.otherOrigin}/` }
}
