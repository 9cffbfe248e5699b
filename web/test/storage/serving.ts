import { head, serveKit } from '../harness/kit.ts'
import type {} from './kit.ts' // declares globalThis.storageKit

/** Serves a page with the kit of kit.ts for the tests of a file, and one to be framed. */
export const servePage = () =>
  serveKit('storage/kit.ts', {
    '/sandbox.html': `${head}<script type="module">
      import '/test/storage/kit.ts'
      const source = storageKit.storage({ local: ['theme'] })
      source.watch(() => {}, new AbortController().signal)
      const uris = await storageKit.list(source)
      parent.postMessage([uris, await storageKit.tryRead(source, 'storage:///local/theme')], '*')
    </script>`,
  })
