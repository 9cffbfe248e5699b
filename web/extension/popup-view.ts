/** Renders the popup. Titles and addresses of pages are inserted as text only. */

import { redactUrl } from 'pagemcp/redaction'
import { plainLabel } from 'pagemcp/sources'
import { haveOnePermission } from './consent.ts'
import type { EngineStatus, Overview, ReadRecord, TabInfo } from './messages.ts'

/** The most reads that are shown. */
const maxReads = 3

export interface Actions {
  ticked(tab: TabInfo, on: boolean): void
  forgotten(site: string): void
}

export function element<T extends HTMLElement = HTMLElement>(id: string): T {
  const found = document.getElementById(id)
  if (found === null) throw new Error(`popup.html has no #${id}`)
  return found as T
}

export function showOverview({ on, tabs, sites, status }: Overview, actions: Actions): void {
  document.body.classList.toggle('off', !on)
  element<HTMLInputElement>('share').checked = on
  element('share-text').textContent = on ? 'Sharing' : 'Stopped'
  element('share-note').hidden = on
  showGateway(on, status)
  showTabs(on, tabs, sites, actions)
  showReads(status.reads, tabs)
  element('sites-box').hidden = sites.length === 0
  element('sites-count').textContent = `(${sites.length})`
  const rows = sites.map((site) => siteRows.get(site) ?? siteRow(site, actions))
  arrange('sites', rows)
}

const siteRows = new Map<string, HTMLElement>()

function siteRow(site: string, actions: Actions): HTMLElement {
  const forget = make('button', 'link', 'Revoke')
  forget.setAttribute('aria-label', `Revoke: ${site}`)
  forget.addEventListener('click', () => actions.forgotten(site))
  const row = make('li', 'row', make('span', 'title', site), forget)
  siteRows.set(site, row)
  return row
}

function showGateway(on: boolean, status: EngineStatus) {
  const box = element('gateway')
  box.hidden = !on
  const { is, text, advice = '' } = gatewayOf(status)
  box.dataset.is = is
  element('gateway-text').textContent = text
  element('gateway-advice').textContent = advice
  element('gateway-advice').hidden = advice === ''
  const pairing = is === 'unpaired' || box.classList.contains('again')
  element('pairing').hidden = !pairing
  element('another').hidden = pairing || is === 'failed'
}

function gatewayOf({ gateway, reason, failure }: EngineStatus): {
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
      return { is: 'away', text: 'Gateway unavailable', advice: 'Reconnects automatically.' }
    case 'connecting':
      return { is: 'waiting', text: 'Searching for the gateway' }
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
          'The gateway rejected the link: it was used before, is older than two minutes, or the gateway was started without the origin of this extension.',
      }
  }
  return { is: 'unpaired', text, advice: gateway?.error ?? '' }
}

/** A row of a list. It keeps its element, which the user may be clicking. */
interface Row<T> {
  item: HTMLElement
  update(value: T): void
}

const tabRows = new Map<number, Row<Shown>>()

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
  const items = pages.map((tab) => {
    const row = tabRows.get(tab.id) ?? tabRow(actions)
    tabRows.set(tab.id, row)
    row.update({ tab, on, asks: !sites.some((site) => haveOnePermission(site, tab.site ?? site)) })
    return row.item
  })
  for (const id of tabRows.keys()) if (!pages.some((tab) => tab.id === id)) tabRows.delete(id)
  arrange('tabs', items)
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

function showReads(reads: ReadRecord[], tabs: TabInfo[]) {
  element('no-reads').hidden = reads.length > 0
  const rows = reads.slice(0, maxReads).map(({ uri, time }) => {
    const when = document.createElement('time')
    when.textContent = new Date(time).toLocaleTimeString()
    return make('li', 'row', make('span', 'title', nameOf(uri, tabs)), when)
  })
  element('reads').replaceChildren(...rows)
}

/** The name of a resource. */
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
