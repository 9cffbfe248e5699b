/**
 * The background: observes the tabs, stores the user's decisions, and starts the engine. The browser stops it when it
 * is idle: all of its state is in storage.
 */

import { say } from '../src/translation.ts'
import * as consent from './consent.ts'
import { type EngineStatus, handleMessages, refreshPopup, within } from './messages.ts'
import { engineHost, restrictStorage } from './platform.ts'
import { textsIn, uiLanguage } from './popup.texts.ts'
import { allTabs, attach, sharedTabs, textOf } from './tabs.ts'

/** The timeout of the popup for the engine's status. */
const statusTimeout = 1000 // ms

const questionSize = { width: 560, height: 520 } // CSS pixels

/** Makes a decision of the user, one after the other, and acts by it. */
async function decide(act: () => Promise<void>): Promise<void> {
  await consent.enqueue(act)
  await refresh()
}

const engine = engineHost({
  started: refresh,
  ended: refresh,
  async used({ uses }) {
    await consent.enqueue(() => consent.used(uses))
    refreshPopup()
  },
  joined: () => consent.enqueue(() => consent.keepLocal({ paired: true })),
  sharedTabs,
  text: ({ tab, site, client }) => textOf(tab, site, client),
  attach: ({ tab }) => attach(tab),
  async ask() {
    await chrome.windows.create({ url: 'ask.html', type: 'popup', ...questionSize })
  },
  mayAct: ({ site, assistant }) => decide(() => consent.mayAct(site, assistant)),
})

handleMessages('background', {
  async overview() {
    const [tabs, { on, sites, uses }, status] = await Promise.all([
      allTabs(),
      consent.local(),
      engineStatus(),
    ])
    return { on, tabs, sites, uses, status }
  },
  tick({ tab, site, on, time = 'session' }) {
    const until = consent.endOf(time, Date.now())
    return decide(() =>
      on ? consent.tick({ tab, site, until }) : consent.untick((one) => one.tab === tab),
    )
  },
  asking: (wanted) => consent.enqueue(() => consent.asking(wanted)),
  consent: (choice) => decide(() => consent.agree(choice)),
  forget: ({ site }) => decide(() => consent.forget(site)),
  untickAll: () => decide(() => consent.untick(() => true)),
  async share({ on }) {
    await consent.enqueue(() => consent.keepLocal({ on })) // from here on nothing is read
    if (on) await startIfPaired()
    await refresh() // announces the removed tabs
    if (!on) await engine.stop()
    refreshPopup()
  },
  async access(change) {
    await (await engine.running())?.access(change)
    if ('stop' in change) await decide(() => consent.endActing(change.stop))
    else refreshPopup()
  },
  siteAccess: (change) => decide(() => consent.changeSite(change)),
  async join({ link }) {
    await engine.start()
    await (await engine.running())?.join({ link })
  },
})

async function engineStatus(): Promise<EngineStatus> {
  const running = await engine.running()
  if (running === undefined) return { assistants: [] }
  return within(running.status(), statusTimeout).catch((error: Error) => ({
    failure: error.message,
    assistants: [],
  }))
}

/** Starts the engine if sharing is on and a gateway has been joined before. */
async function startIfPaired(): Promise<void> {
  const { on, paired } = await consent.local()
  if (on && paired) await engine.start()
}

let loaded = new Set<number>()
let waiting: Promise<void> | undefined

/**
 * Unticks tabs that are closed, show another site, or one without consent, and those whose time is over, and sends the state to engine and popup.
 * Events that arrive meanwhile are handled by one more run.
 */
function refresh(): Promise<void> {
  waiting ??= consent.enqueue(async () => {
    waiting = undefined
    const reloaded = [...loaded]
    loaded = new Set()
    const [tabs, sites] = await Promise.all([allTabs(), consent.agreedSites()])
    const shown = new Map(tabs.map(({ id, site }) => [id, site]))
    const now = Date.now()
    await consent.untick(
      ({ tab, site, until }) =>
        shown.get(tab) !== site || !sites.has(site) || (until !== undefined && until <= now),
    )
    const shared = tabs.filter((tab) => tab.shared)
    await showCount(shared.length)
    await (await engine.running())?.tabs({ tabs: shared, loaded: reloaded }).catch(() => {}) // it has just ended
    refreshPopup()
  })
  return waiting
}

/** Shows on the icon how many tabs are shared. */
async function showCount(count: number): Promise<void> {
  const language = uiLanguage()
  const { noneRead, tabsRead } = textsIn(language)
  await Promise.all([
    chrome.action.setBadgeBackgroundColor({ color: '#4263eb' }),
    chrome.action.setBadgeText({ text: count === 0 ? '' : String(count) }),
    chrome.action.setTitle({ title: count === 0 ? noneRead : say(tabsRead, { count }, language) }),
  ])
}

/** A tab has changed, or another one is active (`undefined`); only ticked ones concern the engine. */
async function tabChanged(tab?: number): Promise<void> {
  const { ticks } = await consent.session()
  if (ticks.some((one) => tab === undefined || one.tab === tab)) await refresh()
  else refreshPopup()
}

// Listeners must be added while this script runs, so that the browser can start it for an event.
chrome.tabs.onCreated.addListener(refreshPopup)
chrome.tabs.onUpdated.addListener((tab, change) => {
  if (change.status === 'complete' || change.url !== undefined) loaded.add(tab)
  void tabChanged(tab)
})
chrome.tabs.onRemoved.addListener((tab) => void tabChanged(tab))
chrome.tabs.onActivated.addListener(() => void tabChanged())
chrome.tabs.onAttached.addListener((tab) => void tabChanged(tab))
chrome.windows.onFocusChanged.addListener(() => void tabChanged())
chrome.tabs.onReplaced.addListener((now, before) =>
  decide(async () => {
    const { ticks } = await consent.session()
    const old = ticks.find(({ tab }) => tab === before)
    if (old === undefined) return
    await consent.untick(({ tab }) => tab === before)
    await consent.tick({ ...old, tab: now })
  }),
)

// The browser's permission prompt closes the popup on some systems, so its answer is handled here.
chrome.permissions.onAdded.addListener(() => decide(consent.granted))
chrome.permissions.onRemoved.addListener(() =>
  decide(async () => consent.keepLocal({ sites: [...(await consent.agreedSites())] })),
)

// These start this script, which runs the lines below. The title in the manifest is in English.
chrome.runtime.onStartup.addListener(() => void refresh())
chrome.runtime.onInstalled.addListener(() => void refresh())
restrictStorage()
void startIfPaired()
