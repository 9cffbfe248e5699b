/**
 * The user's decisions: ticked tabs, each for the site that it showed, until the browser ends or for a time; sites whose tabs may be ticked without a
 * prompt, assistants that are stopped at a site, and whether sharing is on, permanently. Decisions run one after the other, and read storage each
 * time, because the background keeps no state.
 */

import { sessionTime } from '../src/access/decisions.ts'
import type { SiteChange, SiteUse, TickTime } from './messages.ts'
import { permissionFor } from './platform.ts'
import { serialQueue } from './queue.ts'

/** A tab that was ticked while it showed a site. It is not ticked for another one. */
interface Tick {
  readonly tab: number
  readonly site: string
  /** When it ends; ms since 1970. Without it, with the browser. */
  readonly until?: number
}

/** Stored until the browser ends. */
interface Session {
  ticks: readonly Tick[]
  /** The tick that waits for the browser's permission prompt, since `time`, ms since 1970. */
  asking?: { tab: number; site: string; time: number }
}

/** Stored permanently. */
interface Local {
  /** Origins that the user has agreed to. */
  sites: string[]
  on: boolean
  /** Whether a gateway has been joined: the extension joins it again when the browser starts. */
  paired: boolean
  /** Which assistants have read which sites, or are stopped there. */
  uses: SiteUse[]
}

/** The most entries of {@link Local.uses}, besides those of stopped assistants. */
const maxUses = 200

/** The most stopped assistants of all sites. */
const maxStopped = 500

export async function session(): Promise<Session> {
  const { ticks = [], asking } = await chrome.storage.session.get(['ticks', 'asking'])
  return { ticks, asking } as Session
}

export async function local(): Promise<Local> {
  return (await chrome.storage.local.get({
    sites: [],
    on: true,
    paired: false,
    uses: [],
  })) as unknown as Local
}

export async function keepLocal(change: Partial<Local>): Promise<void> {
  await chrome.storage.local.set(change)
}

/**
 * How long a tick waits. A popup that closes with the prompt does not learn that the user has refused, and the site
 * may get the permission later in another way.
 */
const promptTimeout = 120_000 // ms

/** Runs one decision after the other. */
export const enqueue = serialQueue()

/** The origin of a page that can be read: http or https. */
export function siteOf(url: string | undefined): string | undefined {
  if (url === undefined || !URL.canParse(url)) return undefined
  const { protocol, origin } = new URL(url)
  return protocol === 'http:' || protocol === 'https:' ? origin : undefined
}

/** Whether the browser has one permission for both sites: Firefox has one for all ports of a host. */
export function haveOnePermission(one: string, other: string): boolean {
  return permissionFor(one).origins[0] === permissionFor(other).origins[0]
}

/** Sites with the user's consent and the browser's permission, which its settings can revoke. */
export async function agreedSites(): Promise<Set<string>> {
  const { sites } = await local()
  const held = await Promise.all(
    sites.map((site) => chrome.permissions.contains(permissionFor(site))),
  )
  return new Set(sites.filter((_, i) => held[i]))
}

/**
 * Ticks a tab if it shows the site of the tick, which the user saw, and there is consent for that. Call within
 * {@link enqueue}.
 */
export async function tick({ tab, site, until }: Tick): Promise<void> {
  if (siteOf((await chrome.tabs.get(tab)).url) !== site || !(await agreedSites()).has(site)) return
  const { ticks } = await session()
  const others = ticks.filter((one) => one.tab !== tab)
  await chrome.storage.session.set({
    ticks: [...others, { tab, site, ...(until !== undefined && { until }) }],
  })
}

/** The tick of a tab that shows a site, unless its time is over. */
export const tickOf = (
  ticks: readonly Tick[],
  tab: number,
  site: string | undefined,
): Tick | undefined =>
  ticks.find(
    (one) =>
      one.tab === tab && one.site === site && (one.until === undefined || one.until > Date.now()),
  )

/** When a tick of `now` ends; `undefined`: with the browser. */
export function endOf(time: TickTime, now: number): number | undefined {
  if (time === 'hour') return now + 3_600_000
  return time === 'today' ? new Date(now).setHours(24, 0, 0, 0) : undefined
}

/** Adds reads of assistants. Call within {@link enqueue}. */
export async function used(added: readonly SiteUse[]): Promise<void> {
  const { uses, sites } = await local()
  const all = new Map(uses.map((one) => [keyOf(one), one]))
  for (const one of added) {
    if (!sites.includes(one.site)) continue // taken back meanwhile
    const before = all.get(keyOf(one))
    all.set(keyOf(one), { ...before, ...one, reads: (before?.reads ?? 0) + one.reads })
  }
  const newest = [...all.values()].sort((a, b) => b.time - a.time)
  await keepLocal({ uses: newest.filter(({ isStopped }, i) => isStopped || i < maxUses) })
}

/** Stops an assistant at a site with consent, or allows it again. Call within {@link enqueue}. */
export async function changeSite({ site, assistant, stop }: SiteChange): Promise<void> {
  const { uses, sites } = await local()
  if (!sites.includes(site)) return
  const key = keyOf({ site, assistant })
  const others = uses.filter((one) => keyOf(one) !== key)
  // A decision that cannot be kept must not give access: then nobody reads the site.
  if (stop && others.filter((one) => one.isStopped).length >= maxStopped) return forget(site)
  const { isStopped, actsUntil, ...use } = uses.find((one) => keyOf(one) === key) ?? {
    site,
    assistant,
    time: 0,
    reads: 0,
  }
  if (stop) others.push({ ...use, isStopped: true })
  else if (use.reads > 0) others.push(use)
  await keepLocal({ uses: others })
}

/** Lets an assistant use the tools of a site with consent for a time. Call within {@link enqueue}. */
export async function mayAct(site: string, assistant: string): Promise<void> {
  await used([{ site, assistant, time: Date.now(), reads: 0, actsUntil: Date.now() + sessionTime }])
}

/** Ends that for an assistant at all sites. Call within {@link enqueue}. */
export async function endActing(assistant: string): Promise<void> {
  const { uses } = await local()
  await keepLocal({
    uses: uses.map((one) => (one.assistant === assistant ? { ...one, actsUntil: 0 } : one)),
  })
}

/** The assistants that may use the tools of a site now. */
export const actingAt = (uses: readonly SiteUse[], site: string | undefined): string[] =>
  uses
    .filter((use) => use.site === site && !use.isStopped && (use.actsUntil ?? 0) > Date.now())
    .map(({ assistant }) => assistant)

/** The assistants that are stopped at a site, in order. */
export const stoppedAt = (uses: readonly SiteUse[], site: string | undefined): string[] =>
  uses
    .filter((use) => use.site === site && use.isStopped)
    .map(({ assistant }) => assistant)
    .sort()

const keyOf = ({ site, assistant }: Pick<SiteUse, 'site' | 'assistant'>): string =>
  JSON.stringify([site, assistant])

/** Unticks the tabs that `wanted` is true of. Call within {@link enqueue}. */
export async function untick(wanted: (ticked: Tick) => boolean): Promise<void> {
  const { ticks } = await session()
  const left = ticks.filter((one) => !wanted(one))
  if (left.length < ticks.length) await chrome.storage.session.set({ ticks: left })
}

/**
 * Stores the user's consent for a site, if the browser has granted the permission, and ticks the tab if it
 * still shows that site. Call within {@link enqueue}.
 */
export async function agree({ tab, site }: { tab: number; site: string }): Promise<void> {
  if (siteOf(site) !== site || !(await chrome.permissions.contains(permissionFor(site)))) return
  const { sites } = await local()
  if (!sites.includes(site)) await keepLocal({ sites: [...sites, site].sort() })
  await chrome.storage.session.remove('asking')
  await tick({ tab, site })
}

/**
 * Stores which tab waits for the browser's permission prompt, or that the user has refused. Call within
 * {@link enqueue}.
 */
export async function asking(wanted?: { tab: number; site: string }): Promise<void> {
  if (wanted === undefined) await chrome.storage.session.remove('asking')
  else await chrome.storage.session.set({ asking: { ...wanted, time: Date.now() } })
}

/** The browser has granted a permission: agrees to the tick that waits for it. Call within {@link enqueue}. */
export async function granted(): Promise<void> {
  const { asking } = await session()
  if (asking !== undefined && Date.now() - asking.time < promptTimeout) await agree(asking)
}

/**
 * Revokes the consent for a site, and the browser's permission, unless another site needs it. Call within
 * {@link enqueue}.
 */
export async function forget(site: string): Promise<void> {
  const before = await local()
  const sites = before.sites.filter((one) => one !== site)
  await keepLocal({ sites, uses: before.uses.filter((one) => one.site !== site) })
  if (sites.some((other) => haveOnePermission(site, other))) return
  // A permission that the manifest requires cannot be removed; without consent it is not used.
  await chrome.permissions.remove(permissionFor(site)).catch(() => false)
}
