/** The browser's tabs, and which of them assistants may read right now. */

import { actingAt, agreedSites, local, session, siteOf, stoppedAt, tickOf } from './consent.ts'
import { type TabInfo, type TabText, within } from './messages.ts'

/** The timeout of a tab's text. */
const textTimeout = 10_000 // ms

/** All tabs, except those of private windows. */
export async function allTabs(): Promise<TabInfo[]> {
  const [all, [current], { ticks }, { on, uses }, sites] = await Promise.all([
    chrome.tabs.query({}),
    chrome.tabs.query({ active: true, lastFocusedWindow: true }),
    session(),
    local(),
    agreedSites(),
  ])
  return all.flatMap((tab) => {
    const { id, url = '', title = '' } = tab
    if (id === undefined || tab.incognito) return []
    const site = siteOf(url)
    const tick = site !== undefined && sites.has(site) ? tickOf(ticks, id, site) : undefined
    const ticked = tick !== undefined
    const info: TabInfo = {
      id,
      title: title.toWellFormed(),
      url: url.toWellFormed(),
      site,
      window: tab.windowId,
      front: tab.active,
      active: id === current?.id,
      audible: tab.audible ?? false,
      pinned: tab.pinned,
      loading: tab.status === 'loading',
      discarded: tab.discarded || tab.status === 'unloaded',
      lastAccessed: tab.lastAccessed,
      ticked,
      ...(tick?.until !== undefined && { until: tick.until }),
      shared: on && ticked,
      stopped: stoppedAt(uses, site),
      acting: actingAt(uses, site),
    }
    return [info]
  })
}

/** The tabs that assistants may read, except those in {@link TabInfo.stopped}. */
export async function sharedTabs(): Promise<TabInfo[]> {
  return (await allTabs()).filter(({ shared }) => shared)
}

/**
 * The visible text, for an assistant, of a shared tab that shows `site`; `undefined` if there is none, or it has
 * changed meanwhile.
 *
 * @throws a `NotAllowedError` if the assistant is stopped at the site, also meanwhile
 * @throws a `TimeoutError` if the tab does not answer within 10 s
 */
export async function textOf(
  id: number,
  site: string,
  client: string,
): Promise<TabText | undefined> {
  const readable = async () => {
    const shared = (await sharedTabs()).find((tab) => tab.id === id && tab.site === site)
    if (shared?.stopped.includes(client)) {
      throw new DOMException('the assistant is stopped at this site', 'NotAllowedError')
    }
    return shared !== undefined && !shared.discarded
  }
  if (!(await readable())) return undefined
  const running = chrome.scripting.executeScript({
    target: { tabId: id },
    files: ['text.js'],
    injectImmediately: true,
  })
  const [ran] = await within(
    running.catch(() => []), // closed, or a page that extensions cannot read
    textTimeout,
  )
  const result = ran?.result as (TabText & { site: string }) | undefined
  // The tab may show another document by now, and the user may have unticked it.
  if (result?.site !== site || !(await readable())) return undefined
  return { text: result.text, cut: result.cut }
}

/** Makes the document of a shared tab connect its tools to the engine: once, however often it is called. */
export async function attach(tabId: number): Promise<void> {
  if (!(await sharedTabs()).some(({ id }) => id === tabId)) return
  const target = { tabId }
  const now = { injectImmediately: true }
  await chrome.scripting.executeScript({ target, files: ['webmcp-page.js'], world: 'MAIN', ...now })
  await chrome.scripting.executeScript({ target, files: ['webmcp-relay.js'], ...now })
}
