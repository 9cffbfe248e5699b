/**
 * `?watch=notes` in the address: monitors a page of the gateway. A link alone connects to nothing, since any site may
 * have it: without a note of this origin (demo/shared/watch.ts) that the user has just asked for it, a button does.
 */

import { type Signal, signal } from '@preact/signals'
import { show } from '../base/state.ts'
import { monitorStatus, startMonitoring } from './gateway.ts'
import { monitorPage } from './monitor.ts'

const key = 'pagemcp.playground.watch'

/** How long a note is valid: the time in which a page loads. */
const validity = 60_000 // ms

/** The page that the address names, until the user has confirmed it. */
export const asked: Signal<string | undefined> = signal(undefined)

/** Shows the page of the gateway, and monitors `page` if the user has asked for it. */
export function watchFromAddress(page: string): void {
  if (!/^[a-z][a-z0-9-]*$/.test(page)) return
  show({ front: 'gateway' })
  if (takeNote() === page) watch(page)
  else asked.value = page
}

/** Monitors a page as soon as the gateway accepts this browser, which may need a link first. */
export function watch(page: string): void {
  asked.value = undefined
  void startMonitoring()
  const stop = monitorStatus.subscribe(({ is }) => {
    if (is !== 'open') return
    queueMicrotask(() => stop())
    monitorPage(page)
  })
}

/** The page of a fresh note, which is used up. */
function takeNote(): string | undefined {
  try {
    const { page, at } = JSON.parse(localStorage.getItem(key) ?? '{}') as {
      page?: string
      at?: number
    }
    localStorage.removeItem(key)
    return Math.abs(Date.now() - Number(at)) < validity ? page : undefined
  } catch {
    return undefined // no storage, or not ours
  }
}
