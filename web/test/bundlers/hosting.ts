/** The package without a bundler: beside the page with an import map, under a strict policy, and from another origin. */

import type { TestBrowser } from '../harness/browsers.ts'
import { serve } from '../harness/serve.ts'
import { appSource, driveApp, packageDirectory } from './drive.ts'

export interface Hosting {
  host: string
  /** Where the package is, given the origin of the page and another one. */
  from(own: string, other: string): string
  /** Directives besides those of the page itself. */
  policy?(location: string): string
  worker?: string
}

/** Directives that allow the policy of the package alone. */
export const trustedTypes = "require-trusted-types-for 'script'; trusted-types pagemcp"
const nonce = "'nonce-of-the-import-map'"
const cdnPolicy = (cdn: string) =>
  `script-src 'self' ${cdn} ${nonce} 'wasm-unsafe-eval'; worker-src blob: ${cdn}; connect-src ${cdn}`

export const hostings: readonly Hosting[] = [
  { host: 'beside the page', from: (own) => own },
  {
    host: 'beside the page, with Content-Security-Policy and Trusted Types',
    from: (own) => own,
    policy: () =>
      `script-src 'self' ${nonce} 'wasm-unsafe-eval'; worker-src 'self'; connect-src 'self'; ${trustedTypes}`,
  },
  { host: 'at another origin', from: (_, other) => other, worker: 'blob:' },
  {
    host: 'at another origin, with Content-Security-Policy',
    from: (_, other) => other,
    policy: cdnPolicy,
    worker: 'blob:',
  },
  {
    host: 'at another origin, with Content-Security-Policy and Trusted Types',
    from: (_, other) => other,
    policy: (cdn) => `${cdnPolicy(cdn)}; ${trustedTypes}`,
    worker: 'blob:',
  },
]

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
    if (policy)
      headers['content-security-policy'] = `default-src 'none'; img-src data:; ${policy(location)}`
    files['/main.js'] = "import { startMcp } from './app.js'\nstartMcp()\n"
    files['/'] =
      `<!doctype html><meta charset="utf-8"><title>app</title><link rel="icon" href="data:,">
<script type="importmap" nonce="of-the-import-map">{"imports":{"pagemcp":"${location}/pagemcp/index.js"}}</script>
<script type="module" src="/main.js"></script><body></body>`
    await driveApp(browser, `${site.origin}/`, worker === undefined ? {} : { worker })
  } finally {
    await site.close()
  }
}
