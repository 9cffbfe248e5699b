/** Renders the popup. Titles and addresses of pages are inserted as text only. */

import { assistantName } from 'pagemcp/access'
import { redactUrl } from '../src/redact.ts'
import { plainLabel } from '../src/translation.ts'
import { haveOnePermission } from './consent.ts'
import {
  type EngineStatus,
  type Overview,
  remote,
  type SiteUse,
  type TabInfo,
  type TickTime,
} from './messages.ts'
import { permissionFor } from './platform.ts'
import { clock, language, list, say, text } from './popup-language.ts'
import { type Standing, standingOf } from './standing.ts'

export const background = remote('background')

/** Shows the state after an action of the background, successful or not. */
type Act = (action: Promise<unknown>) => void

export function element<T extends HTMLElement = HTMLElement>(id: string): T {
  const found = document.getElementById(id)
  if (found === null) throw new Error(`popup.html has no #${id}`)
  return found as T
}

export function showOverview(overview: Overview, act: Act): void {
  const { on, tabs, sites, uses, status } = overview
  document.body.classList.toggle('off', !on)
  element<HTMLInputElement>('share').checked = on
  const standing = standingOf(overview)
  element('share-text').textContent =
    standing === 'tabs'
      ? say(text.sharingTabs, { count: tabs.filter(({ shared }) => shared).length })
      : text.headline[standing]
  element('tick-a-tab').hidden =
    standing !== 'nothing' || !tabs.some(({ site }) => site !== undefined)
  element('share-note').hidden = on
  showGateway(standing, status)
  showTabs(on, tabs, sites, act)
  showAssistants(on, uses, status, act)
  showSites(sites, uses, status, act)
}

/** The sites that the user has agreed to, with each assistant that was seen. */
function showSites(sites: string[], uses: SiteUse[], { assistants }: EngineStatus, act: Act) {
  element('sites-box').hidden = sites.length === 0
  element('sites-title').textContent = say(text.sites, { count: sites.length })
  const seen = [...new Set([...assistants, ...uses].map(({ assistant }) => assistant))].sort()
  const everywhere = assistants.filter(isStopped).map(({ assistant }) => assistant)
  const readers = (site: string) =>
    seen.map((assistant) => {
      const use = uses.find((one) => one.site === site && one.assistant === assistant)
      return [assistant, readerOf(use, everywhere.includes(assistant))] as const
    })
  showRows(
    element('sites'),
    sites.map((site) => [site, readers(site)] as const),
    (site) => siteRow(site, act),
  )
}

function siteRow(site: string, act: Act): Row<(readonly [string, ShownAssistant])[]> {
  const forget = make('button', 'link', text.revoke)
  forget.ariaLabel = say(text.about, { action: text.revoke, names: site })
  forget.addEventListener('click', () => act(background.forget({ site })))
  const list = make('ul', 'readers')
  const row = (assistant: string) =>
    assistantRow(
      [assistantName(assistant, language), site],
      text.stopHere,
      text.allowHere,
      (stop) => act(background.siteAccess({ site, assistant, stop })),
    )
  return {
    item: make('li', 'site', make('div', 'row', make('span', 'title', site), forget), list),
    update: (readers) => showRows(list, readers, row),
  }
}

/** An assistant at a site. `use`: `undefined`, if it has not read the site, and may. */
function readerOf(use: SiteUse | undefined, isStoppedEverywhere: boolean): ShownAssistant {
  const { reads: count = 0, isStopped = false, actsUntil = 0 } = use ?? {}
  const stopped = isStoppedEverywhere ? text.stoppedEverywhere : isStopped && text.stoppedHere
  const mayRead = count === 0 ? text.mayRead : say(text.mayReadAfter, { count })
  const allowed = actsUntil > Date.now() ? `${mayRead} · ${text.mayAct}` : mayRead
  return { isStopped, isBlocked: stopped !== false, place: stopped || allowed }
}

/** Whether the user has stopped an assistant everywhere. */
const isStopped = ({ grants }: EngineStatus['assistants'][number]): boolean =>
  grants.some(({ allow }) => !allow)

function showAssistants(on: boolean, uses: SiteUse[], status: EngineStatus, act: Act) {
  const { assistants, pausedUntil, gateway } = status
  const isPaused = pausedUntil !== undefined
  element('assistants-box').hidden = !on || (gateway === undefined && assistants.length === 0)
  element('pause').textContent = isPaused ? text.resume : text.pauseAll
  element('pause-note').hidden = !isPaused
  element('pause-note').textContent = isPaused
    ? say(text.pausedUntil, { time: clock(pausedUntil) })
    : ''
  element('no-assistants').hidden = assistants.length > 0
  const all = assistants.map((one) => {
    const { assistant, readsToday: count } = one
    const claim = plainLabel(one.callsItself ?? '', 64)
    const own = uses.filter((use) => use.assistant === assistant && use.reads > 0)
    const reads = isStopped(one) ? text.isStopped : say(text.readsToday, { count })
    const place = [reads, list(own.map(({ site }) => new URL(site).host))]
      .filter(Boolean)
      .join(' · ')
    return [
      assistant,
      { isStopped: isStopped(one), claim: claim === assistant ? '' : claim, place },
    ] as const
  })
  showRows(element('assistants'), all, (assistant) =>
    assistantRow([assistantName(assistant, language)], text.stop, text.allow, (stop) =>
      act(background.access(stop ? { stop: assistant } : { allow: assistant })),
    ),
  )
}

interface ShownAssistant {
  isStopped: boolean
  /** It gets nothing here. */
  isBlocked?: boolean
  /** What it says of itself. */
  claim?: string
  place: string
}

/** An assistant, everywhere or at a site, with a button that stops it there or allows it again. */
function assistantRow(
  names: string[],
  stop: string,
  allow: string,
  change: (stop: boolean) => void,
): Row<ShownAssistant> {
  const own = make('span', 'place')
  const place = make('span', 'place')
  const button = make('button', 'link')
  let isStopped = false
  button.addEventListener('click', ({ isTrusted }) => {
    if (isTrusted || !isStopped) change(!isStopped)
  })
  const title = make('span', 'title', names[0] ?? '')
  return {
    item: make('li', 'row', make('span', 'words', title, place, own), button),
    update(shown) {
      isStopped = shown.isStopped
      own.hidden = !shown.claim
      own.textContent = say(text.callsItself, { name: shown.claim ?? '' })
      place.textContent = shown.place
      place.title = shown.place
      place.classList.toggle('stopped', shown.isBlocked)
      button.textContent = isStopped ? allow : stop
      button.ariaLabel = say(text.about, { action: button.textContent, names: list(names) })
    },
  }
}

function showGateway(standing: Standing, { gateway, reason, failure = '' }: EngineStatus) {
  const { error = '', name = '' } = gateway ?? {}
  const rejected = reason === 'refused' ? text.linkRefused : say(text.failed, { error })
  const texts: { readonly [is in Standing]?: readonly [string, string?] } = {
    failed: [text.engineFailed, failure],
    searching: [text.searching],
    away: [text.away, text.reconnects],
    unpaired: [text.notConnected, reason === undefined || reason === 'not-invited' ? '' : rejected],
  }
  const [state, advice = ''] = texts[standing] ?? [say(text.connectedAs, { name })]
  const box = element('gateway')
  box.hidden = standing === 'stopped'
  box.dataset.is = standing === 'searching' ? 'waiting' : standing in texts ? standing : 'joined'
  element('gateway-text').textContent = state
  element('gateway-advice').textContent = advice
  element('gateway-advice').hidden = advice === ''
  const isPairing = standing === 'unpaired' || box.classList.contains('again')
  element('pairing').hidden = !isPairing
  element('another').hidden = isPairing || standing === 'failed'
}

/** A row of a list. It keeps its element, which the user may be clicking. */
interface Row<T> {
  item: HTMLElement
  update(value: T): void
}

interface ShownTab {
  tab: TabInfo
  on: boolean
  /** Whether ticking it shows the browser's permission prompt. */
  asks: boolean
  /** Whether there is consent for its site. */
  isAgreed: boolean
}

function showTabs(on: boolean, tabs: TabInfo[], sites: string[], act: Act) {
  const pages = tabs.filter(({ site }) => site !== undefined)
  element('no-tabs').hidden = pages.length > 0
  element('untick').hidden = !on || !pages.some(({ ticked }) => ticked)
  const all = pages.map((tab) => {
    const asks = !sites.some((site) => haveOnePermission(site, tab.site ?? site))
    return [tab.id, { tab, on, asks, isAgreed: sites.includes(tab.site ?? '') }] as const
  })
  showRows(element('tabs'), all, (id) => tabRow(id, act))
}

function tabRow(id: number, act: Act): Row<ShownTab> {
  let shown: ShownTab | undefined
  const box = document.createElement('input')
  box.type = 'checkbox'
  box.id = `tab-${id}`
  box.addEventListener('change', () => {
    const { tab: { site, ticked } = {}, isAgreed } = shown ?? {}
    const on = box.checked
    box.checked = ticked === true // until the background has ticked it
    if (site !== undefined)
      act(on && !isAgreed ? agree(id, site) : background.tick({ tab: id, site, on }))
  })
  const title = make('span', 'title')
  const place = make('span', 'place')
  const except = make('span', 'place')
  const asksFirst = make('span', 'asks quiet', text.asksFirst)
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
    const site = shown?.tab.site
    if (site === undefined || time.value === '') return
    act(background.tick({ tab: id, site, on: true, time: time.value as TickTime }))
  })
  return {
    item: make('li', 'row', label, time),
    update(next) {
      shown = next
      const { tab, on, asks } = next
      const { host, pathname } = new URL(redactUrl(tab.url))
      box.checked = tab.ticked
      box.disabled = !on
      title.textContent = plainLabel(tab.title, 120) || host
      place.textContent = host + (pathname === '/' ? '' : pathname)
      const stopped = list(tab.stopped.map((assistant) => assistantName(assistant, language)))
      except.hidden = !tab.ticked || stopped === ''
      except.textContent = say(text.notBy, { assistants: stopped })
      except.title = stopped
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

/**
 * Asks for the permission of a site, within the click that ticks a tab: the browser shows its prompt only then, so nothing may
 * be awaited before. If this window closes meanwhile, the background handles the answer.
 */
async function agree(tab: number, site: string): Promise<void> {
  void background.asking({ tab, site })
  const isGranted = await chrome.permissions.request(permissionFor(site))
  await (isGranted ? background.consent({ tab, site }) : background.asking(undefined))
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
