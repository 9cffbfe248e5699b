/** What each assistant reads at each site. */

import { test } from 'node:test'
import { chromium } from './chromium.ts'
import { readsBySite } from './sites.ts'

test('an assistant that is stopped at a site reads no tab of it, and others do', () =>
  readsBySite(chromium))
