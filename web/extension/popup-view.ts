/** Renders the popup. Titles and addresses of pages are inserted as text only. */

import { assistantName } from 'pagemcp/access'
import { redactUrl } from '../src/redact.ts'
import { plainLabel } from '../src/translation.ts'
import { haveOnePermission } from './consent.ts'
import type {
  AccessChange,
  EngineStatus,
  Overview,
  SiteChange,
  SiteUse,
  TabInfo,
  TickTime,
} from './messages.ts'
import { clock, language, list, say, text } from './popup-language.ts'
import { standingOf } from './standing.ts'

export interface Actions {
  ticked(tab: TabInfo, on: boolean): void
  timed(tab: TabInfo, time: TickTime): void
  forgotten(site: string): void
  access(change: AccessChange): void
  siteAccess(change: SiteChange): void
}

export function element<T extends HTMLElement = HTMLElement>(id: string): T {
  const found = document.getElementById(id)
  if (found === null) throw new Error(`popup.html has no #${id}`)
  return found as T
}

export function showOverview({ on, tabs, sites, uses, status }: Overview, actions: Actions): void {
  document.body.classList.toggle('off', !on)
  element<HTMLInputElement>('share').checked = on
  const standing = standingOf({ on, tabs, status })
  element('share-text').textContent =
    standing === 'tabs'
      ? say(text.sharingTabs, { count: tabs.filter(({ shared }) => shared).length })
      : text.headline[standing]
  element('tick-a-tab').hidden =
    standing !== 'nothing' || !tabs.some(({ site }) => site !== undefined)
  element('share-note').hidden = on
  showGateway(on, status)
  showTabs(on, tabs, sites, actions)
  showAssistants(on, uses, status, actions)
  element('sites-box').hidden = sites.length === 0
  element('sites-title').textContent = say(text.sites, { count: sites.length })
  const seen = [...status.assistants, ...uses].map(({ assistant }) => assistant)
  const everywhere = status.assistants.filter(isStopped).map(({ assistant }) => assistant)
  const readers = (site: string): Reader[] =>
    [...new Set(seen)].sort().map((assistant) => {
      const use = uses.find((one) => one.site === site && one.assistant === assistant)
      return { assistant, use, isStoppedEverywhere: everywhere.includes(assistant) }
    })
  const own = sites.map((site) => [site, readers(site)] as const)
  showRows(element('sites'), own, (site) => siteRow(site, actions))
}

/** An assistant, at one site. */
interface Reader {
  assistant: string
  /** `undefined`: it has not read the site, and may. */
  use: SiteUse | undefined
  isStoppedEverywhere: boolean
}

/** A site that the user has agreed to, with each assistant that was seen. */
function siteRow(site: string, actions: Actions): Row<Reader[]> {
  const forget = make('button', 'link', text.revoke)
  forget.ariaLabel = say(text.about, { action: text.revoke, names: site })
  forget.addEventListener('click', () => actions.forgotten(site))
  const list = make('ul', 'readers')
  return {
    item: make('li', 'site', make('div', 'row', make('span', 'title', site), forget), list),
    update(all) {
      const readers = all.map((reader) => [reader.assistant, reader] as const)
      showRows(list, readers, (assistant) => readerRow(site, assistant, actions))
    },
  }
}

function readerRow(site: string, assistant: string, actions: Actions): Row<Reader> {
  const name = assistantName(assistant, language)
  const place = make('span', 'place')
  const change = make('button', 'link')
  let isStoppedHere = false
  change.addEventListener('click', ({ isTrusted }) => {
    if (isTrusted || !isStoppedHere) actions.siteAccess({ site, assistant, stop: !isStoppedHere })
  })
  return {
    item: make('li', 'row', make('span', 'words', make('span', 'title', name), place), change),
    update({ use, isStoppedEverywhere }) {
      isStoppedHere = use?.isStopped === true
      const where = isStoppedEverywhere ? text.stoppedEverywhere : text.stoppedHere
      const count = use?.reads ?? 0
      const allowed = count === 0 ? text.mayRead : say(text.mayReadAfter, { count })
      const mayRead = !isStoppedHere && !isStoppedEverywhere
      place.textContent = mayRead ? allowed : where
      place.classList.toggle('stopped', !mayRead)
      change.textContent = isStoppedHere ? text.allowHere : text.stopHere
      change.ariaLabel = say(text.about, { action: change.textContent, names: list([name, site]) })
    },
  }
}

/** Whether the user has stopped an assistant everywhere. */
const isStopped = ({ grants }: EngineStatus['assistants'][number]): boolean =>
  grants.some(({ allow }) => !allow)

interface ShownAssistant {
  /** What it says of itself. */
  callsItself: string
  sites: string[]
  reads: number
  isStopped: boolean
}

function showAssistants(
  on: boolean,
  uses: SiteUse[],
  { assistants, pausedUntil, gateway }: EngineStatus,
  actions: Actions,
) {
  const isPaused = pausedUntil !== undefined
  element('assistants-box').hidden = !on || (gateway === undefined && assistants.length === 0)
  element('pause').textContent = isPaused ? text.resume : text.pauseAll
  element('pause-note').hidden = !isPaused
  element('pause-note').textContent = isPaused
    ? say(text.pausedUntil, { time: clock(pausedUntil) })
    : ''
  element('no-assistants').hidden = assistants.length > 0
  const all = assistants.map((one) => {
    const { assistant, callsItself = '', readsToday: reads } = one
    const own = uses.filter((use) => use.assistant === assistant && use.reads > 0)
    const sites = own.map(({ site }) => site)
    return [assistant, { callsItself, sites, reads, isStopped: isStopped(one) }] as const
  })
  showRows(element('assistants'), all, (assistant) => assistantRow(assistant, actions))
}

function assistantRow(assistant: string, actions: Actions): Row<ShownAssistant> {
  let isStopped = false
  const name = assistantName(assistant, language)
  const place = make('span', 'place')
  const own = make('span', 'place')
  const change = make('button', 'link')
  change.addEventListener('click', ({ isTrusted }) => {
    if (isStopped && isTrusted) actions.access({ allow: assistant })
    else if (!isStopped) actions.access({ stop: assistant })
  })
  return {
    item: make('li', 'row', make('span', 'words', make('span', 'title', name), own, place), change),
    update(shown) {
      isStopped = shown.isStopped
      const claim = plainLabel(shown.callsItself, 64)
      own.hidden = claim === '' || claim === assistant
      own.textContent = say(text.callsItself, { name: claim })
      const sites = list(shown.sites.map((site) => new URL(site).host))
      const reads = say(text.readsToday, { count: shown.reads })
      place.textContent = [isStopped ? text.isStopped : reads, sites].filter(Boolean).join(' · ')
      place.title = sites
      change.textContent = isStopped ? text.allow : text.stop
      change.ariaLabel = say(text.about, { action: change.textContent, names: name })
    },
  }
}

function showGateway(on: boolean, status: EngineStatus) {
  const box = element('gateway')
  box.hidden = !on
  const { is, state, advice = '' } = gatewayOf(status)
  box.dataset.is = is
  element('gateway-text').textContent = state
  element('gateway-advice').textContent = advice
  element('gateway-advice').hidden = advice === ''
  const pairing = is === 'unpaired' || box.classList.contains('again')
  element('pairing').hidden = !pairing
  element('another').hidden = pairing || is === 'failed'
}

function gatewayOf({ gateway, reason, failure }: EngineStatus): {
  is: string
  state: string
  advice?: string
} {
  if (failure !== undefined) {
    return { is: 'failed', state: text.engineFailed, advice: failure }
  }
  switch (gateway?.is) {
    case 'joined':
      return { is: 'joined', state: say(text.connectedAs, { name: gateway.name ?? '' }) }
    case 'connecting':
      if (gateway.error === undefined) return { is: 'waiting', state: text.searching }
      return { is: 'away', state: text.away, advice: text.reconnects }
    case 'away':
      return { is: 'away', state: text.away, advice: text.reconnects }
  }
  const state = text.notConnected
  switch (reason) {
    case undefined:
    case 'not-invited':
      return { is: 'unpaired', state }
    case 'refused':
      return { is: 'unpaired', state, advice: text.linkRefused }
  }
  const advice = gateway?.error === undefined ? '' : say(text.failed, { error: gateway.error })
  return { is: 'unpaired', state, advice }
}

/** A row of a list. It keeps its element, which the user may be clicking. */
interface Row<T> {
  item: HTMLElement
  update(value: T): void
}

interface Shown {
  tab: TabInfo
  on: boolean
  /** Whether ticking it shows the browser's permission prompt. */
  asks: boolean
}

function showTabs(on: boolean, tabs: TabInfo[], sites: string[], actions: Actions) {
  const pages = tabs.filter(({ site }) => site !== undefined)
  element('no-tabs').hidden = pages.length > 0
  element('untick').hidden = !on || !pages.some(({ ticked }) => ticked)
  const all = pages.map((tab) => {
    const asks = !sites.some((site) => haveOnePermission(site, tab.site ?? site))
    return [tab.id, { tab, on, asks }] as const
  })
  showRows(element('tabs'), all, () => tabRow(actions))
}

function tabRow(actions: Actions): Row<Shown> {
  let shown: TabInfo | undefined
  const box = document.createElement('input')
  box.type = 'checkbox'
  box.addEventListener('change', () => {
    if (shown === undefined) return
    const wanted = box.checked
    box.checked = shown.ticked // until the background has ticked it
    actions.ticked(shown, wanted)
  })
  const title = make('span', 'title')
  const place = make('span', 'place')
  const except = make('span', 'place')
  const asksFirst = make('span', 'asks', text.asksFirst)
  const label = make('label', 'tab', box, make('span', 'words', title, place, except), asksFirst)
  const time = document.createElement('select')
  time.className = 'time'
  const ends = new Option('', '')
  time.append(
    ends,
    new Option(text.untilRestart, 'session'),
    new Option(text.forAnHour, 'hour'),
    new Option(text.untilMidnight, 'today'),
  )
  time.addEventListener('change', () => {
    if (shown !== undefined && time.value !== '') actions.timed(shown, time.value as TickTime)
  })
  return {
    item: make('li', 'tab-row', label, time),
    update({ tab, on, asks }) {
      shown = tab
      const { host, pathname } = new URL(redactUrl(tab.url))
      box.id = `tab-${tab.id}`
      box.checked = tab.ticked
      box.disabled = !on
      title.textContent = plainLabel(tab.title, 120) || host
      place.textContent = host + (pathname === '/' ? '' : pathname)
      const names = tab.stopped.map((assistant) => assistantName(assistant, language))
      except.hidden = !tab.ticked || names.length === 0
      except.textContent = say(text.notBy, { assistants: list(names) })
      except.title = list(names)
      label.title = tab.title
      asksFirst.hidden = !asks
      time.hidden = !tab.ticked || !on
      ends.hidden = tab.until === undefined
      ends.text = tab.until === undefined ? '' : say(text.until, { time: clock(tab.until) })
      time.value = tab.until === undefined ? 'session' : ''
      time.ariaLabel = say(text.howLong, { tab: title.textContent })
    },
  }
}

/** Shows rows by their keys in a list. A row that stays keeps its element, and none moves that stands where it should. */
function showRows<K, T>(list: Element, all: (readonly [K, T])[], made: (key: K) => Row<T>) {
  const before = (rows.get(list) ?? new Map()) as Map<K, Row<T>>
  const now = new Map(all.map(([key]) => [key, before.get(key) ?? made(key)]))
  rows.set(list, now as Map<unknown, Row<unknown>>)
  for (const [at, [key, value]] of all.entries()) {
    const row = now.get(key) as Row<T>
    row.update(value)
    if (list.children[at] !== row.item) list.insertBefore(row.item, list.children[at] ?? null)
  }
  while (list.children.length > all.length) list.lastElementChild?.remove()
}

/** The rows of each list. */
const rows = new WeakMap<Element, Map<unknown, Row<unknown>>>()

function make(tag: string, className: string, ...children: (string | Node)[]): HTMLElement {
  const made = document.createElement(tag)
  made.className = className
  if (made instanceof HTMLButtonElement) made.type = 'button'
  made.append(...children)
  return made
}
