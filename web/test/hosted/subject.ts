/** The page of the conformance suite's fixtures in Chromium at hosted nodes, behind a front that adds an access token. */

import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Endpoint } from '../conformance/checks.ts'
import { bundled } from '../harness/bundled.ts'
import { startFront } from '../harness/front.ts'
import { head } from '../harness/kit.ts'
import { openPage, startHosted } from './kit.ts'
import { accessToken } from './user.ts'

const imports = '<script type="importmap">{"imports":{"pagemcp":"/pagemcp/index.js"}}</script>'
const script = '<script type="module" src="main.js"></script><p id="state"></p>'

/** @param nodes - how many serve, each a request in turn */
export async function startSubject(
  nodes: number,
): Promise<{ url: Endpoint; close(): Promise<void> }> {
  const stops: (() => Promise<unknown>)[] = []
  const close = async () => {
    const failures: unknown[] = []
    for (const stop of stops.reverse()) await stop().catch((error) => failures.push(error)) // the others must end, too
    if (failures.length > 0) throw failures[0]
  }
  try {
    const app = await mkdtemp(join(tmpdir(), 'pagemcp-app-'))
    stops.push(() => rm(app, { recursive: true, force: true }))
    const code = await bundled('hosted/conformance-page.ts', 'production', ['pagemcp'])
    await writeFile(join(app, 'main.js'), code)
    await writeFile(join(app, 'index.html'), `${head}<title>Conformance</title>${imports}${script}`)
    // The suite is one client of one owner, and faster than an assistant.
    const limits = { readsPerSecond: 1000, completionsPerSecond: 1000, callsPerSecond: 1000 }
    const hosted = await startHosted({ app, nodes, config: { limits, sampling: true } })
    stops.push(() => hosted.close())
    const token = await accessToken(hosted, 'alice')
    const front = await startFront('hosted conformance', { mcp: hosted.mcp, token })
    stops.push(() => front.close())
    const opened = Promise.withResolvers<string>()
    const ending = Promise.withResolvers<void>()
    const browser = hosted.inBrowser('chromium', async (tabs) => {
      opened.resolve((await openPage(hosted, tabs, 'alice')).name)
      await ending.promise
    })
    browser.catch(opened.reject)
    stops.push(() => {
      ending.resolve()
      return browser
    })
    const name = await opened.promise
    return { url: (which) => front.url(which === 'page' ? `/mcp/${name}` : '/mcp'), close }
  } catch (error) {
    await close()
    throw error
  }
}
