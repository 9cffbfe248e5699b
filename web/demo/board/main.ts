import { start, tabs } from 'pagemcp'
import { inLanguage, tag } from '../shared/language.ts'
import { element, make, showFailure, showPage } from '../shared/page.ts'
import { panel, showQuestion } from '../shared/panel.ts'
import { say } from '../shared/texts.ts'
import { toast } from '../shared/toast.ts'
import { serveSkill } from './skill.ts'
import { texts } from './texts.ts'

/** A tab in `tab:///`. */
interface Tab {
  id: string
  title: string
  url: string
  visibility: string
  active: boolean
  this: boolean
}

/** A note as it hangs on the wall. */
interface Hung {
  item: HTMLElement
  text: HTMLElement
  about: HTMLElement
  /** How the tab stands, in words. */
  standing: string
  /** What happened to it last, in words. */
  event: string
}

/** Hues of the notes. */
const hues = [50, 340, 210, 115, 260] // degrees

/** How long a tab may be away before its note counts as closed: a reload takes less. */
const reloadTime = 2500 // ms

/** The text that the next tab begins with, in localStorage. */
const nextKey = 'board.next'

showPage('board', texts)
showQuestion(texts.question)
element<HTMLAnchorElement>('more').href = inLanguage('./')

const note = element<HTMLTextAreaElement>('note')
const own: Hung = {
  item: element('own'),
  text: element('words'),
  about: element('about'),
  standing: texts.thisTab,
  event: '',
}
const never = new AbortController().signal

// ——— this tab's note, which survives reloads

note.value = beginning()
sessionStorage.setItem('board.note', note.value)
showOwn()

function beginning(): string {
  const [navigation] = performance.getEntriesByType('navigation') as PerformanceNavigationTiming[]
  if (opener !== null && navigation?.type === 'navigate') {
    // Another tab has opened this one, with a copy of its sessionStorage.
    const next = localStorage.getItem(nextKey) ?? ''
    localStorage.removeItem(nextKey)
    return next
  }
  const first = localStorage.getItem('board.known') === null ? texts.seed : ''
  localStorage.setItem('board.known', 'yes')
  return sessionStorage.getItem('board.note') ?? first
}

note.addEventListener('input', () => {
  sessionStorage.setItem('board.note', note.value)
  showOwn()
})

/** The text below the field is what this tab shares; the field itself is never read. */
function showOwn() {
  document.title = titleOf(note.value)
  showWords(own, note.value)
}

function titleOf(text: string): string {
  const line = text.trim().split('\n', 1)[0] ?? ''
  return line === '' ? texts.emptyNote : line.slice(0, 60)
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
      const { tabs: found } = JSON.parse(await read('tab:///')) as { tabs: Tab[] }
      const all = found.filter(isBoard)
      showTabs(all)
      await Promise.all(all.map(showText))
    })
  looking.catch(reportError)
}

/** Other pages of this origin may share their tabs, too: the playground does. */
function isBoard({ url }: Tab): boolean {
  return new URL(url).pathname === location.pathname
}

function showTabs(all: Tab[]) {
  for (const [id, { item, text }] of hung) {
    if (all.some((tab) => tab.id === id)) continue
    item.remove()
    hung.delete(id)
    closed(id, text.textContent ?? '')
  }
  for (const tab of all) {
    const shown = hung.get(tab.id) ?? hang(tab)
    shown.item.dataset.active = String(tab.active)
    const seen = tab.visibility === 'visible' ? texts.open : texts.background
    shown.standing = tab.this ? texts.thisTab : tab.active ? texts.lastUsed : seen
    showAbout(shown)
    if (tab.this) element('known').textContent = say(texts.known, { uri: `tab:///${tab.id}` })
  }
  element('count').textContent = say(texts.count, { count: all.length })
}

/** The same in every tab, and after a reload. */
function hueOf(id: string): string {
  const sum = Array.from(id).reduce((sum, letter) => sum + letter.charCodeAt(0), 0)
  return String(hues[sum % hues.length])
}

function hang(tab: Tab): Hung {
  const made = tab.this ? own : card()
  made.item.style.setProperty('--hue', hueOf(tab.id))
  made.item.dataset.id = tab.id
  hung.set(tab.id, made)
  return made
}

function card(): Hung {
  const text = make('p', 'words')
  const about = make('p', 'bar about')
  const paper = make('div', 'paper', text)
  paper.dataset.emptyText = texts.emptyNote
  const item = make('li', 'card', paper, about)
  item.dataset.this = 'false'
  element('next').before(item)
  return { item, text, about, standing: '', event: '' }
}

async function showText(tab: Tab) {
  if (tab.this) return showOwn()
  const shown = hung.get(tab.id)
  // A tab that closes meanwhile does not send its text. What it sent before stays: its note can be opened again.
  const words = await read(`tab:///${tab.id}/text`).catch(
    () => shown?.text.textContent || tab.title,
  )
  if (shown === undefined || shown.text.textContent === words) return
  if (shown.item.dataset.empty !== undefined) happened(shown, texts.changed)
  showWords(shown, words)
}

function showWords({ item, text }: Hung, words: string) {
  if (text.textContent !== words) text.textContent = words
  item.dataset.empty = String(words === '')
}

function showAbout({ about, standing, event }: Hung) {
  about.replaceChildren(make('strong', '', standing), make('span', 'event', event))
}

/** Shows on a note that it was read or changed, with the time. */
function happened(shown: Hung, text: string) {
  shown.event = say(text, {
    when: new Date().toLocaleTimeString(tag, { hour: '2-digit', minute: '2-digit' }),
  })
  showAbout(shown)
  const { classList } = shown.item
  classList.remove('glow')
  requestAnimationFrame(() => classList.add('glow'))
}

/** Offers to open the note of a tab again, unless the tab was only reloaded. */
function closed(id: string, text: string) {
  if (text.trim() === '') return
  setTimeout(() => {
    if (hung.has(id) || document.hidden) return
    const reopen = () => {
      localStorage.setItem(nextKey, text)
      open(inLanguage('./'), '_blank')
    }
    toast(say(texts.closed, { title: titleOf(text) }), reopen, texts.reopen)
  }, reloadTime)
}

source.watch?.(refresh, never)
refresh()

// ——— and the same, served

try {
  const mcp = start({
    name: 'board',
    access: 'open', // a demo, wherever it is served
    title: texts.name,
    version: '1.0.0',
    instructions: texts.instructions,
  })
  await mcp.ready
  mcp.mount(source)
  serveSkill(mcp)
  mcp.on('read', ({ uri }) => {
    const read = hung.get(idOf(uri))
    if (read) happened(read, texts.readAt)
  })
  panel(mcp, nameOf)
} catch (error) {
  showFailure(error)
}

function idOf(uri: string): string {
  return /^tab:\/\/\/([^/]+)/.exec(uri)?.[1] ?? ''
}

function nameOf(uri: string): string {
  if (uri === 'tab:///') return texts.list
  const shown = hung.get(idOf(uri))
  return shown ? titleOf(shown.text.textContent ?? '') : texts.goneNote
}
