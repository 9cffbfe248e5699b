/** The package without a bundler: beside the page with an import map, under a strict policy, and from another origin. */

import type { TestBrowser } from '../harness/browsers.ts'
import { serve } from '../harness/serve.ts'
import { appSource, driveApp, packageDirectory } from './drive.ts'
import { otherOrigin, ownOrigin, strict, trustedTypes } from './policies.ts'

export interface Hosting {
  host: string
  /** Where the package is, given the origin of the page and another one. */
  from(own: string, other: string): string
  /** Directives besides those of the page itself. */
  policy?(location: string): string
  worker?: string
}

/** A page allows its import map by a nonce, in addition to its scripts. */
const withImportMap = (policy: string) =>
  policy.replace("'self'", "'self' 'nonce-of-the-import-map'")

export const hostings: readonly Hosting[] = [
  { host: 'beside the page', from: (own) => own },
  {
    host: 'beside the page, with Content-Security-Policy and Trusted Types',
    from: (own) => own,
    policy: () => `${ownOrigin}; ${trustedTypes}`,
  },
  { host: 'at another origin', from: (_, other) => other, worker: 'blob:' },
  {
    host: 'at another origin, with Content-Security-Policy',
    from: (_, other) => other,
    policy: otherOrigin,
    worker: 'blob:',
  },
  {
    host: 'at another origin, with Content-Security-Policy and Trusted Types',
    from: (_, other) => other,
    policy: (cdn) => `${otherOrigin(cdn)}; ${trustedTypes}`,
    worker: 'blob:',
  },
]

/** A page that gets the package from a location. */
export const pageOf = (location: string) => `<!doctype html>
<meta charset="utf-8">
<title>app</title>
<link rel="icon" href="data:,">
<script type="importmap" nonce="of-the-import-map">
  { "imports": { "pagemcp": "${location}/pagemcp/index.js" } }
</script>
<script type="module" src="/main.js"></script>
<body></body>`

/** Serves the app and the package, and drives the app. */
export async function driveHosting(
  browser: Pick<TestBrowser, 'open'>,
  { from, policy, worker }: Hosting,
): Promise<void> {
  // Origins are known after the start: the page and its policy name the other one.
  const files: { [path: string]: string } = { '/app.js': appSource() }
  const headers: { [name: string]: string } = { 'access-control-allow-origin': '*' }
  const site = await serve({ directories: { '/pagemcp/': packageDirectory }, files, headers })
  try {
    const location = from(site.origin, site.otherOrigin)
    if (policy) Object.assign(headers, strict(withImportMap(policy(location))))
    files['/main.js'] = "import { startMcp } from './app.js'\nstartMcp()\n"
    files['/'] = pageOf(location)
    await driveApp(browser, `${site.origin}/`, worker === undefined ? {} : { worker })
  } finally {
    await site.close()
  }
}
