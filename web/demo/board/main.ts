import { start, tabs } from 'pagemcp'
import { element, make, panel, showFailure } from '../shared/panel.ts'

/** A tab in `tab:///`. */
interface Tab {
  id: string
  title: string
  visibility: string
  active: boolean
  this: boolean
}

/** A note as it hangs on the wall. */
interface Hung {
  item: HTMLElement
  text: HTMLElement
  about: HTMLElement
}

const colours = ['yellow', 'pink', 'blue', 'green', 'violet'] as const

const first = `Things to bring on Saturday

– folding chairs
– the big tent
– charcoal`

const note = element<HTMLTextAreaElement>('note')
const wall = element('wall')
const never = new AbortController().signal

// ——— this tab's note, which survives reloads

const [navigation] = performance.getEntriesByType('navigation') as PerformanceNavigationTiming[]
if (opener !== null && navigation?.type === 'navigate') {
  // Another tab has opened this one, with a copy of its sessionStorage.
  sessionStorage.removeItem('board.note')
}
const begins = opener === null && localStorage.getItem('board.known') === null ? first : ''
localStorage.setItem('board.known', 'yes')
note.value = sessionStorage.getItem('board.note') ?? begins
showTitle()

note.addEventListener('input', () => {
  sessionStorage.setItem('board.note', note.value)
  showTitle()
  showOwn()
})

function showTitle() {
  const line = note.value.trim().split('\n', 1)[0] ?? ''
  document.title = line === '' ? 'Empty note' : line.slice(0, 60)
}

// ——— all notes: the wall shows what assistants read

const source = tabs({ text: ['.card[data-this=true] .words'] })
const hung = new Map<string, Hung>()
let looking: Promise<void> = Promise.resolve()
let stale = false

async function read(uri: string): Promise<string> {
  const [item] = await source.read(uri, { signal: never })
  return item?.text ?? ''
}

/** Reads the tabs again, after a running read. */
function refresh() {
  if (stale) return
  stale = true
  looking = looking
    .catch(() => {}) // reported before
    .then(async () => {
      stale = false
      const { tabs: all } = JSON.parse(await read('tab:///')) as { tabs: Tab[] }
      showTabs(all)
      await Promise.all(all.map(showText))
    })
  looking.catch(reportError)
}

function showTabs(all: Tab[]) {
  for (const [id, { item }] of hung) {
    if (all.some((tab) => tab.id === id)) continue
    item.remove()
    hung.delete(id)
  }
  for (const tab of all) {
    const { item, about } = hung.get(tab.id) ?? hang(tab)
    item.dataset.active = String(tab.active)
    item.dataset.this = String(tab.this)
    const seen = tab.visibility === 'visible' ? 'open' : 'in the background'
    about.textContent = tab.this ? 'this tab' : tab.active ? `${seen}, used last` : seen
    if (!tab.this) continue
    element('uri').textContent = `tab:///${tab.id}`
    note.dataset.colour = colourOf(tab.id)
  }
  element('count').textContent = all.length === 1 ? 'one tab' : `${all.length} tabs`
}

/** The same in every tab, and after a reload. */
function colourOf(id: string): string {
  const sum = Array.from(id).reduce((sum, letter) => sum + letter.charCodeAt(0), 0)
  return colours[sum % colours.length] ?? ''
}

function hang({ id }: Tab): Hung {
  const text = make('p', 'words')
  const about = make('p', 'about')
  const item = make('li', 'card', text, about)
  item.dataset.colour = colourOf(id)
  item.dataset.id = id
  wall.append(item)
  const made = { item, text, about }
  hung.set(id, made)
  return made
}

async function showText(tab: Tab) {
  const shown = hung.get(tab.id)
  if (tab.this) return showOwn()
  const words = await read(`tab:///${tab.id}/text`).catch(() => tab.title) // it may go meanwhile
  if (shown) showWords(shown, words)
}

/** The card of this tab is the text that it shares. */
function showOwn() {
  for (const shown of hung.values()) {
    if (shown.item.dataset.this === 'true') showWords(shown, note.value)
  }
}

function showWords({ item, text }: Hung, words: string) {
  if (text.textContent !== words) text.textContent = words
  item.dataset.empty = String(words === '')
}

source.watch?.(refresh, never)
refresh()

// ——— and the same, served

try {
  const mcp = await start({
    name: 'board',
    title: 'Board',
    version: '1.0.0',
    instructions:
      'A board of notes: each open tab is one. tab:///{id}/text is the note on a tab; tab:/// lists the tabs.',
  })
  mcp.mount('', source)
  mcp.on('read', ({ uri }) => glow(uri))
  panel(mcp)
} catch (error) {
  showFailure(error)
}

function glow(uri: string) {
  const item = hung.get(/^tab:\/\/\/([^/]+)/.exec(uri)?.[1] ?? '')?.item
  item?.classList.add('glow')
  item?.addEventListener('animationend', () => item.classList.remove('glow'), { once: true })
}
