/** What each assistant reads at each site. */

import { test } from 'node:test'
import { isWhole } from '../harness/whole.ts'
import { chromium } from './chromium.ts'
import { firefox } from './firefox.ts'
import { readsBySite } from './sites.ts'

// What Firefox has of its own is in firefox.test.ts.
const kits = isWhole ? { chromium, firefox } : { chromium }
for (const [name, kit] of Object.entries(kits)) {
  test(`an assistant that is stopped at a site reads no tab of it, and others do (${name})`, () =>
    readsBySite(kit))
}
