/** Bundles modules for pages of tests that need packages of npm: browsers cannot load these as they are. */

import { join } from 'node:path'
import { rolldown } from 'rolldown'

const web = join(import.meta.dirname, '../..')

/**
 * Bundles a module of a test with all that it imports.
 *
 * @param entry - its path, below test/
 * @param mode - of React and others
 * @param external - further modules that stay imports, such as one that an import map of the page names
 * @returns the code of one module
 */
export async function bundled(
  entry: string,
  mode: 'development' | 'production' = 'production',
  external: readonly string[] = [],
): Promise<string> {
  const bundle = await rolldown({
    input: join(web, 'test', entry),
    cwd: web,
    platform: 'browser',
    logLevel: 'silent',
    external: [/^\/pagemcp\//, ...external], // the built package, as users load it
    transform: { define: { 'process.env.NODE_ENV': JSON.stringify(mode) }, jsx: 'react-jsx' },
  })
  const { output } = await bundle.generate({ format: 'esm', codeSplitting: false })
  await bundle.close()
  return output[0].code
}
