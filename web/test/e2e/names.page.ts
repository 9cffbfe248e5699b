/** A page's name at the gateway: it is free once the tab is left. */

import assert from 'node:assert/strict'
import { inBrowsers } from '../harness/browsers.ts'
import { useGateway } from './gateway.ts'
import { joined } from './notes.ts'

const gateway = useGateway()

inBrowsers('a tab that was left and returned to has a name of its own', async ({ open }) => {
  const { pages, web } = await gateway().fresh()
  const first = await open(pages.trip ?? '')
  await joined(first)
  await first.goto(`${web}icon.svg`)
  const other = await open(`${web}demo/trip/`)
  const name = await joined(other)
  await first.goBack()
  await first.waitForSelector('#state[data-is="joined"]')
  assert.notEqual(await joined(first), name)
  assert.equal(await joined(other), name)
})
