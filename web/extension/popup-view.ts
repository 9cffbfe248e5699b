/** Draws the popup. Titles and addresses are those of pages: text, and nothing else. */

import { redactUrl } from 'pagemcp/redaction'
import { plainLabel } from 'pagemcp/sources'
import type { Overview, Reading, Standing, TabInfo } from './messages.ts'

/** How many reads are shown. */
const maxReads = 3

export interface Deeds {
  ticked(tab: TabInfo, on: boolean): void
  forgotten(site: string): void
}

export function element<T extends HTMLElement = HTMLElement>(id: string): T {
  const found = document.getElementById(id)
  if (found === null) throw new Error(`popup.html has no #${id}`)
  return found as T
}

export function showOverview({ on, tabs, sites, standing }: Overview, deeds: Deeds): void {
  document.body.classList.toggle('off', !on)
  element<HTMLInputElement>('share').checked = on
  element('share-text').textContent = on ? 'Sharing' : 'Stopped'
  element('share-note').hidden = on
  showGateway(on, standing)
  showTabs(on, tabs, sites, deeds)
  showReads(standing.readings, tabs)
  element('sites-box').hidden = sites.length === 0
  element('sites-count').textContent = `(${sites.length})`
  const rows = sites.map((site) => siteRows.get(site) ?? siteRow(site, deeds))
  arrange('sites', rows)
}

const siteRows = new Map<string, HTMLElement>()

function siteRow(site: string, deeds: Deeds): HTMLElement {
  const forget = make('button', 'link', 'Take back')
  forget.setAttribute('aria-label', `Take back: ${site}`)
  forget.addEventListener('click', () => deeds.forgotten(site))
  const row = make('li', 'row', make('span', 'title', site), forget)
  siteRows.set(site, row)
  return row
}

function showGateway(on: boolean, standing: Standing) {
  const box = element('gateway')
  box.hidden = !on
  const { is, text, advice = '' } = gatewayOf(standing)
  box.dataset.is = is
  element('gateway-text').textContent = text
  element('gateway-advice').textContent = advice
  element('gateway-advice').hidden = advice === ''
  const pairing = is === 'unpaired' || box.classList.contains('again')
  element('pairing').hidden = !pairing
  element('another').hidden = pairing || is === 'failed'
}

function gatewayOf({ gateway, reason, failure }: Standing): {
  is: string
  text: string
  advice?: string
} {
  if (failure !== undefined) {
    return { is: 'failed', text: 'The engine did not start', advice: failure }
  }
  switch (gateway?.is) {
    case 'joined':
      return { is: 'joined', text: `Connected as ${gateway.name}` }
    case 'away':
      return { is: 'away', text: 'Gateway away', advice: 'Connects again as soon as it is back.' }
    case 'connecting':
      return { is: 'waiting', text: 'Looking for the gateway' }
  }
  const text = 'Not connected'
  switch (reason) {
    case undefined:
    case 'not-invited':
      return { is: 'unpaired', text }
    case 'refused':
      return {
        is: 'unpaired',
        text,
        advice:
          'The gateway refused: the link was used or is older than two minutes, or the gateway was started without the origin of this extension.',
      }
  }
  return { is: 'unpaired', text, advice: gateway?.error ?? '' }
}

/** A row of a list, which stays the same element as long as it is there: somebody may be clicking on it. */
interface Row<T> {
  item: HTMLElement
  update(value: T): void
}

const tabRows = new Map<number, Row<Shown>>()

interface Shown {
  tab: TabInfo
  on: boolean
  /** Whether ticking it brings up the browser's question. */
  asks: boolean
}

function showTabs(on: boolean, tabs: TabInfo[], sites: string[], deeds: Deeds) {
  const pages = tabs.filter(({ site }) => site !== undefined)
  element('no-tabs').hidden = pages.length > 0
  element('untick').hidden = !on || !pages.some(({ ticked }) => ticked)
  const items = pages.map((tab) => {
    const row = tabRows.get(tab.id) ?? tabRow(deeds)
    tabRows.set(tab.id, row)
    row.update({ tab, on, asks: !sites.includes(tab.site ?? '') })
    return row.item
  })
  for (const id of tabRows.keys()) if (!pages.some((tab) => tab.id === id)) tabRows.delete(id)
  arrange('tabs', items)
}

function tabRow(deeds: Deeds): Row<Shown> {
  let shown: TabInfo | undefined
  const box = document.createElement('input')
  box.type = 'checkbox'
  box.addEventListener('change', () => {
    if (shown === undefined) return
    const wanted = box.checked
    box.checked = shown.ticked // until it is so
    deeds.ticked(shown, wanted)
  })
  const title = make('span', 'title')
  const place = make('span', 'place')
  const asksFirst = make('span', 'asks', 'asks first')
  const label = make('label', 'tab', box, make('span', 'words', title, place), asksFirst)
  return {
    item: make('li', '', label),
    update({ tab, on, asks }) {
      shown = tab
      const { host, pathname } = new URL(redactUrl(tab.url))
      box.id = `tab-${tab.id}`
      box.checked = tab.ticked
      box.disabled = !on
      title.textContent = plainLabel(tab.title, 120) || host
      place.textContent = host + (pathname === '/' ? '' : pathname)
      label.title = tab.title
      asksFirst.hidden = !asks
    },
  }
}

function showReads(readings: Reading[], tabs: TabInfo[]) {
  element('no-reads').hidden = readings.length > 0
  const rows = readings.slice(0, maxReads).map(({ uri, time }) => {
    const when = document.createElement('time')
    when.textContent = new Date(time).toLocaleTimeString()
    return make('li', 'row', make('span', 'title', nameOf(uri, tabs)), when)
  })
  element('reads').replaceChildren(...rows)
}

/** A resource in words. */
function nameOf(uri: string, tabs: TabInfo[]): string {
  const [, id, text] = /^tab:\/\/\/([^/]*)(\/text)?$/.exec(uri) ?? []
  if (id === '') return 'The list of ticked tabs'
  const tab = tabs.find((one) => String(one.id) === id)
  const name = id === 'active' ? 'The active tab' : tab ? plainLabel(tab.title, 80) : 'A closed tab'
  return text === undefined ? name : `${name} (text)`
}

/** Puts items into a list, and moves none that stands where it should. */
function arrange(id: string, items: Element[]) {
  const list = element(id)
  for (const [at, item] of items.entries()) {
    if (list.children[at] !== item) list.insertBefore(item, list.children[at] ?? null)
  }
  while (list.children.length > items.length) list.lastElementChild?.remove()
}

function make(tag: string, className: string, ...children: (string | Node)[]): HTMLElement {
  const made = document.createElement(tag)
  made.className = className
  if (made instanceof HTMLButtonElement) made.type = 'button'
  made.append(...children)
  return made
}
