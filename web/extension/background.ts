/**
 * The service worker: follows the tabs, keeps what the user has decided, and starts the offscreen
 * document in which the engine runs. It sleeps most of the time and remembers nothing but what is in
 * storage.
 */

import * as consent from './consent.ts'
import { answer, ask, type Overview, type Standing, tell } from './messages.ts'
import { engineRuns, startEngine, stopEngine } from './offscreen-life.ts'
import { allTabs, sharedTabs, textOf } from './tabs.ts'

/** How long the popup waits for the engine. */
const standingPatience = 1000 // ms

answer('background', {
  overview,
  async tick({ tab, on }) {
    await consent.inTurn(() => (on ? consent.tick(tab) : consent.untick((one) => one === tab)))
    await refresh()
  },
  asking: (wanted) => consent.inTurn(() => consent.asking(wanted)),
  async consent(given) {
    await consent.inTurn(() => consent.agree(given))
    await refresh()
  },
  async forget({ site }) {
    await consent.inTurn(() => consent.forget(site))
    await refresh()
  },
  async untickAll() {
    await consent.inTurn(() => consent.untick(() => true))
    await refresh()
  },
  async share({ on }) {
    await consent.inTurn(() => consent.keepLocal({ on })) // from here on nothing is read
    if (on) await wake()
    await refresh() // says what is gone
    if (!on) await stopEngine()
    tell('popup', 'news', undefined)
  },
  async join({ link }) {
    await startEngine()
    await ask('offscreen', 'join', { link })
  },
  started: refresh,
  joined: () => consent.inTurn(() => consent.keepLocal({ paired: true })),
  sharedTabs,
  text: ({ tab, site }) => textOf(tab, site),
})

async function overview(): Promise<Overview> {
  const [tabs, { on, sites }, standing] = await Promise.all([
    allTabs(),
    consent.local(),
    engineStanding(),
  ])
  return { on, tabs, sites, standing }
}

async function engineStanding(): Promise<Standing> {
  if (!(await engineRuns())) return { readings: [] }
  return ask('offscreen', 'standing', undefined, standingPatience).catch((error: Error) => ({
    failure: error.message,
    readings: [],
  }))
}

/** Starts the engine if there is a gateway to join. */
async function wake(): Promise<void> {
  const { on, paired } = await consent.local()
  if (on && paired) await startEngine()
}

let loaded = new Set<number>()
let waiting: Promise<void> | undefined

/**
 * Unticks what is gone or shows a site without consent, and tells engine and popup how things are.
 * However many events come while that is done, it is done once more.
 */
function refresh(): Promise<void> {
  waiting ??= consent.inTurn(async () => {
    waiting = undefined
    const reloaded = [...loaded]
    loaded = new Set()
    const [tabs, sites] = await Promise.all([allTabs(), consent.agreedSites()])
    const readable = new Set(
      tabs.filter(({ site }) => site !== undefined && sites.has(site)).map(({ id }) => id),
    )
    await consent.untick((tab) => !readable.has(tab))
    const shared = tabs.filter((tab) => tab.shared)
    await showCount(shared.length)
    tell('offscreen', 'tabs', { tabs: shared, loaded: reloaded })
    tell('popup', 'news', undefined)
  })
  return waiting
}

/** So that the user sees at any time how much is shared. */
async function showCount(count: number): Promise<void> {
  const title = count === 0 ? 'no tab is read' : `${count} tab${count === 1 ? '' : 's'} may be read`
  await Promise.all([
    chrome.action.setBadgeBackgroundColor({ color: '#4263eb' }),
    chrome.action.setBadgeText({ text: count === 0 ? '' : String(count) }),
    chrome.action.setTitle({ title: `PageMCP: ${title}` }),
  ])
}

/** Something has happened to a tab; most of them are none of our business. */
async function happened(tab: number): Promise<void> {
  const { ticks } = await consent.session()
  if (ticks.includes(tab)) await refresh()
  else tell('popup', 'news', undefined)
}

/** Another tab is in front: that may concern two of them. */
async function moved(): Promise<void> {
  const { ticks } = await consent.session()
  if (ticks.length > 0) await refresh()
  else tell('popup', 'news', undefined)
}

// Listeners have to be there as soon as this script has run: that is how the browser wakes it.
chrome.tabs.onCreated.addListener(() => tell('popup', 'news', undefined))
chrome.tabs.onUpdated.addListener((tab, change) => {
  if (change.status === 'complete' || change.url !== undefined) loaded.add(tab)
  void happened(tab)
})
chrome.tabs.onRemoved.addListener((tab) => void happened(tab))
chrome.tabs.onActivated.addListener(() => void moved())
chrome.tabs.onAttached.addListener((tab) => void happened(tab))
chrome.windows.onFocusChanged.addListener(() => void moved())
chrome.tabs.onReplaced.addListener(async (now, before) => {
  await consent.inTurn(async () => {
    const { ticks } = await consent.session()
    if (!ticks.includes(before)) return
    await consent.untick((tab) => tab === before)
    await consent.tick(now)
  })
  await refresh()
})

// The browser's own question, whose answer the popup does not live to see on some systems.
chrome.permissions.onAdded.addListener(async () => {
  await consent.inTurn(async () => {
    const { asking } = await consent.session()
    if (asking) await consent.agree(asking)
  })
  await refresh()
})
chrome.permissions.onRemoved.addListener(async () => {
  await consent.inTurn(async () => {
    await consent.keepLocal({ sites: [...(await consent.agreedSites())] })
  })
  await refresh()
})

chrome.runtime.onStartup.addListener(() => {}) // wakes this script, which does what follows
chrome.runtime.onInstalled.addListener(() => {})
void chrome.storage.local.setAccessLevel({ accessLevel: 'TRUSTED_CONTEXTS' })
void wake()
