/** Fifty tabs of an app: as many as people have. */

import { inBrowsers } from '../harness/browsers.ts'
import { knowEachOther } from './many.ts'
import { servePage } from './serving.ts'

const site = servePage()

inBrowsers(
  'fifty tabs know of each other, and of each change',
  (browser) => knowEachOther(browser, site, 50),
  { timeout: 300_000 },
)
