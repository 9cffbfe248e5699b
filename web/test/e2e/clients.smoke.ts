/**
 * The whole path: what real Chromium and Firefox keep in IndexedDB reaches independent assistants through the gateway,
 * and they hear of every change that is made in the page.
 */

import { after, before } from 'node:test'
import * as stories from '../clients/stories.ts'
import { inBrowsers } from '../harness/browsers.ts'
import { type Gateway, startGateway } from './gateway.ts'
import { goOverHttp, goOverStdio } from './gosdk.ts'
import { openNotes } from './notes.ts'

let gateway: Gateway
before(async () => {
  gateway = await startGateway()
})
after(() => gateway?.close())

inBrowsers('the TypeScript SDK v1 reads IndexedDB and hears of changes', async (browser) => {
  const { subject } = await openNotes(gateway, browser)
  await stories.classicOverHttp(gateway, subject)
})

inBrowsers('the TypeScript SDK v2 reads IndexedDB and hears of changes', async (browser) => {
  const { subject } = await openNotes(gateway, browser)
  await stories.modernOverHttp(gateway, subject)
})

inBrowsers('go-sdk reads IndexedDB and hears of changes', async (browser) => {
  const { subject } = await openNotes(gateway, browser)
  await goOverHttp({ mcp: gateway.mcp, token: gateway.token }, subject)
})

inBrowsers('all three do so through pagemcp stdio', async (browser) => {
  const { subject } = await openNotes(gateway, browser)
  await stories.classicOverStdio(gateway.stdio, subject)
  await stories.modernOverStdio(gateway.stdio, subject)
  await goOverStdio(gateway.stdio, subject)
})
