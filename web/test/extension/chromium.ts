/** A Chromium with the unpacked extension. */

import assert from 'node:assert/strict'
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from 'puppeteer-core'
import { launch } from '../harness/launch.ts'
import { type Kit, type Person, personAt, timeout } from './person.ts'

const ours = join(import.meta.dirname, '../../../dist/extension')

/** Its id follows from the key in its manifest. */
const origin = 'chrome-extension://jdaedidgmfanbcmndmollldhknabkook'

export const chromium: Kit = {
  origin,

  /**
   * Nobody can answer the browser's question about a site in a test: the sites that it would be asked for are granted
   * by the manifest.
   */
  async install(sites, built = ours) {
    const directory = await mkdtemp(join(tmpdir(), 'pagemcp-extension-'))
    const extension = join(directory, 'extension')
    await cp(built, extension, { recursive: true }).catch((error: unknown) => {
      throw new Error(`${built} is missing: run bin/pagemcp build`, { cause: error })
    })
    const file = join(extension, 'manifest.json')
    const manifest = JSON.parse(await readFile(file, 'utf8')) as Record<string, unknown>
    await writeFile(
      file,
      JSON.stringify({ ...manifest, host_permissions: sites.map((site) => `${site}/*`) }),
    )
    return {
      extension,
      profile: join(directory, 'profile'),
      remove: () => rm(directory, { recursive: true, force: true }),
    }
  },

  async arrive({ extension, profile }) {
    const flags = ['--enable-features=WebMCP']
    const browser = await launch('chromium', { extension, profile, flags })
    const show = (tab: Page) => tab.goto(`${origin}/popup.html`)
    return personAt(browser, origin, show, (popup) => ({
      allow: async () => {},
      refuse: (id, site) => refuse(popup, id, site),
    }))
  },
}

/** Nobody answers: the popup has asked for this site alone. */
async function refuse(popup: Page, id: number, site: string): Promise<void> {
  const asked = await popup.evaluate((tab) => {
    const { promise, resolve } = Promise.withResolvers<unknown>()
    const { request } = chrome.permissions
    chrome.permissions.request = ((wanted: chrome.permissions.Permissions) => {
      resolve(wanted)
      return request(wanted)
    }) as typeof request
    document.getElementById(`tab-${tab}`)?.click()
    return promise
  }, id)
  assert.deepEqual(asked, { origins: [`${site}/*`] })
}

/**
 * Ends the service worker, as the browser does after half a minute, and waits until the browser knows it. Its target is
 * gone before that: an event that comes in between is given to the worker that ends, and lost.
 */
export async function stopServiceWorker({ popup }: Person): Promise<void> {
  const devtools = await popup.createCDPSession()
  try {
    const stopped = new Promise<void>((resolve, reject) => {
      const late = () => reject(new Error('the service worker was not stopped in time'))
      AbortSignal.timeout(timeout).addEventListener('abort', late, { once: true })
      devtools.on('ServiceWorker.workerVersionUpdated', ({ versions }) => {
        for (const { versionId, runningStatus } of versions) {
          if (runningStatus === 'running') {
            devtools.send('ServiceWorker.stopWorker', { versionId }).catch(reject)
          } else if (runningStatus === 'stopped') resolve()
        }
      })
    })
    await devtools.send('ServiceWorker.enable')
    await stopped
  } finally {
    await devtools.detach()
  }
}
