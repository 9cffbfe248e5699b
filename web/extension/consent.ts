/**
 * What the user has decided: which tabs are ticked, as long as the browser runs; which sites may be
 * ticked without asking, and whether anything is shared at all, for good. Every decision is made
 * here, one after the other, and read from storage each time: the service worker forgets.
 */

import { turns } from './turns.ts'

/** What is kept while the browser runs. */
interface Session {
  /** Ids of ticked tabs. */
  ticks: number[]
  /** The tick that waits for the browser's question about the site. */
  asking?: { tab: number; site: string }
}

/** What is kept for good. */
interface Local {
  /** Origins that the user has agreed to. */
  sites: string[]
  on: boolean
  /** Whether a gateway was joined: it is joined again when the browser starts. */
  paired: boolean
}

export async function session(): Promise<Session> {
  return (await chrome.storage.session.get({ ticks: [] })) as unknown as Session
}

export async function local(): Promise<Local> {
  return (await chrome.storage.local.get({
    sites: [],
    on: true,
    paired: false,
  })) as unknown as Local
}

export async function keepLocal(change: Partial<Local>): Promise<void> {
  await chrome.storage.local.set(change)
}

/** Runs one decision after the other. */
export const inTurn = turns()

/** The origin of a page that can be read: http or https. */
export function siteOf(url: string | undefined): string | undefined {
  if (url === undefined || !URL.canParse(url)) return undefined
  const { protocol, origin } = new URL(url)
  return protocol === 'http:' || protocol === 'https:' ? origin : undefined
}

/** The browser's permission for a site. */
export function permissionFor(site: string): { origins: [string] } {
  return { origins: [`${site}/*`] }
}

/** Sites that the user has agreed to, and the browser too: its settings can take that back. */
export async function agreedSites(): Promise<Set<string>> {
  const { sites } = await local()
  const held = await Promise.all(
    sites.map((site) => chrome.permissions.contains(permissionFor(site))),
  )
  return new Set(sites.filter((_, i) => held[i]))
}

/** Ticks a tab if there is consent for the site that it shows. In turn. */
export async function tick(tab: number): Promise<void> {
  const site = siteOf((await chrome.tabs.get(tab)).url)
  if (site === undefined || !(await agreedSites()).has(site)) return
  const { ticks } = await session()
  await chrome.storage.session.set({ ticks: [...new Set([...ticks, tab])] })
}

/** In turn. */
export async function untick(wanted: (tab: number) => boolean): Promise<void> {
  const { ticks } = await session()
  const left = ticks.filter((tab) => !wanted(tab))
  if (left.length < ticks.length) await chrome.storage.session.set({ ticks: left })
}

/**
 * Notes that the user has agreed to a site, if the browser knows of it, and ticks the tab if it still
 * shows that site. In turn.
 */
export async function agree({ tab, site }: { tab: number; site: string }): Promise<void> {
  if (siteOf(site) !== site || !(await chrome.permissions.contains(permissionFor(site)))) return
  const { sites } = await local()
  if (!sites.includes(site)) await keepLocal({ sites: [...sites, site].sort() })
  await chrome.storage.session.remove('asking')
  if (siteOf((await chrome.tabs.get(tab)).url) === site) await tick(tab)
}

/** Notes which tab waits for the browser's question. In turn. */
export async function asking(wanted: { tab: number; site: string }): Promise<void> {
  await chrome.storage.session.set({ asking: wanted })
}

/** Takes consent for a site back, and the browser's permission. In turn. */
export async function forget(site: string): Promise<void> {
  const { sites } = await local()
  await keepLocal({ sites: sites.filter((one) => one !== site) })
  // One that the manifest requires cannot be given back; without consent it is of no use.
  await chrome.permissions.remove(permissionFor(site)).catch(() => false)
}
