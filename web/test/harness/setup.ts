/** For `node --test --test-global-setup`: browsers that the files of a run share. */

import { addressVariable, keepBrowsers } from './keeper.ts'

let browsers: Awaited<ReturnType<typeof keepBrowsers>>

export async function globalSetup(): Promise<void> {
  browsers = await keepBrowsers()
  process.env[addressVariable] = browsers.address
}

export async function globalTeardown(): Promise<void> {
  await browsers.close()
}
