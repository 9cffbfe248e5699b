/** What each assistant reads at each site. */

import { test } from 'node:test'
import { chromium } from './chromium.ts'
import { firefox } from './firefox.ts'
import { readsBySite } from './sites.ts'

for (const [name, kit] of Object.entries({ chromium, firefox })) {
  test(`an assistant that is stopped at a site reads no tab of it, and others do (${name})`, () =>
    readsBySite(kit))
}
