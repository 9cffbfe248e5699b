// The package without a bundler: beside the page with an import map, under a strict policy, and from another
// origin, as from a CDN.

import { inBrowsers } from '../harness/browsers.ts'
import { driveHosting, hostings } from './hosting.ts'

for (const hosting of hostings) {
  inBrowsers(`an app runs with the package ${hosting.host}`, (browser) =>
    driveHosting(browser, hosting),
  )
}
