import { element, type Standing, showPage, showStanding } from '../shared/page.ts'
import { showQuestion } from '../shared/panel.ts'
import { say } from '../shared/texts.ts'
import { toast } from '../shared/toast.ts'
import { noteOf, noteUri, openUri, type Read, type Serving, serveNotes } from './serving.ts'
import { type NewNote, type Note, openNotes } from './store.ts'
import { texts } from './texts.ts'
import { ago, summary, text } from './view.ts'

/** The delay after the last key until a note is stored. */
const saveDelay = 300 // ms

/** The most reads that are shown. */
const maxReads = 30

showPage('notes', texts)
showQuestion(texts.question)
showKeys()

const main = element('main')
const list = element('notes')
const search = element<HTMLInputElement>('search')
const title = element<HTMLInputElement>('title')
const body = element<HTMLTextAreaElement>('text')

const store = await openNotes(texts.seeds)
const tabs = new BroadcastChannel('notes-app')
let notes = sorted(await store.all())
let open: NewNote = notes[0] ?? blank()
let unsaved: ReturnType<typeof setTimeout> | undefined
let saving: Promise<void> = Promise.resolve()
let reads: Read[] = []
let serving: Serving | undefined

// ——— the list

function shown(): Note[] {
  const words = search.value.toLowerCase().split(/\s+/).filter(Boolean)
  return notes.filter((note) => {
    const all = `${note.title}\n${note.text}`.toLowerCase()
    return words.every((word) => all.includes(word))
  })
}

function showList() {
  const found = shown()
  const last = new Map(
    reads.map((read) => [noteOf(read.uri), read.at]).reverse() as [number, Date][],
  )
  const tabbable = found.some((note) => note.id === open.id) ? open.id : found[0]?.id
  list.replaceChildren(
    ...found.map((note) => {
      const item = document.createElement('div')
      item.id = `note-${note.id}`
      item.dataset.id = String(note.id)
      item.role = 'option'
      item.ariaSelected = String(note.id === open.id)
      item.tabIndex = note.id === tabbable ? 0 : -1
      item.classList.toggle('done', note.done === true)
      item.append(
        text('strong', note.title || texts.untitled),
        text('span', summary(note), 'soft summary'),
      )
      const read = last.get(note.id)
      item.append(
        text(
          'span',
          read ? say(texts.readAgo, { when: ago(read) }) : ago(note.changed),
          read ? 'soft when read' : 'soft when',
        ),
      )
      return item
    }),
  )
  const wanted = search.value.trim()
  const searching = wanted !== ''
  element('count').textContent = searching
    ? say(texts.found, { count: found.length, all: notes.length })
    : ''
  element('empty').hidden = found.length > 0
  element('empty-title').textContent = searching ? texts.notFound : texts.empty
  element('empty-text').textContent = searching
    ? say(texts.notFoundText, { text: wanted })
    : texts.emptyText
  element('offer').textContent = say(texts.offered, { count: notes.length })
}

function focusInList() {
  main.dataset.view = 'list'
  const item = list.querySelector<HTMLElement>('[tabindex="0"]')
  if (item) item.focus()
  else search.focus()
}

// ——— the editor

function showEditor() {
  title.value = open.title
  body.value = open.text
  element('saved').textContent = ''
  showIdentity()
}

function showIdentity() {
  for (const id of ['delete', 'done']) {
    element<HTMLButtonElement>(id).disabled = open.id === undefined
  }
  element('done').ariaPressed = String(open.done === true)
  element('uri').hidden = open.id === undefined
  if (open.id !== undefined) element('uri-text').textContent = noteUri(open.id)
}

async function choose(note: NewNote) {
  await save()
  open = note
  showEditor()
  showList()
  serving?.opened()
}

async function edit(note: NewNote) {
  await choose(note)
  main.dataset.view = 'editor'
  const isNew = note.id === undefined
  ;(isNew ? title : body).focus()
}

/**
 * Stores the typed text. Saves run one after the other, so that a new note gets one number, not two.
 */
function save(): Promise<void> {
  if (unsaved === undefined) return saving
  clearTimeout(unsaved)
  unsaved = undefined
  const note = open
  Object.assign(note, { title: title.value, text: body.value, changed: new Date() })
  // Without a delay, since the page may be closing. Only a new note waits for its number.
  const stored =
    note.id === undefined ? saving.catch(() => {}).then(() => store.put(note)) : store.put(note)
  saving = stored.then((id) => {
    note.id = id
    tabs.postMessage(id)
    notes = sorted([note as Note, ...notes.filter((one) => one.id !== id)])
    if (note === open) {
      if (unsaved === undefined) element('saved').textContent = texts.saved // nothing typed since
      showIdentity()
    }
    showList()
    serving?.opened()
  })
  saving.catch((error: unknown) => {
    element('saved').textContent = say(texts.notSaved, { reason: String(error) })
  })
  return saving
}

function typed() {
  element('saved').textContent = texts.saving
  clearTimeout(unsaved)
  unsaved = setTimeout(save, saveDelay)
}

/** Checks the open note off, or no longer: assistants hear of the first. */
async function toggleDone() {
  await save()
  const note = open
  if (note.id === undefined) return
  note.done = !note.done
  note.changed = new Date()
  await store.put(note)
  tabs.postMessage(note.id)
  showIdentity()
  showList()
  serving?.opened()
  if (note.done) serving?.checked(note.id)
}

async function remove(note: NewNote) {
  await save()
  if (note.id === undefined) return
  const at = shown().findIndex(({ id }) => id === note.id)
  await store.remove(note.id)
  tabs.postMessage(note.id)
  notes = notes.filter(({ id }) => id !== note.id)
  toast(say(texts.deleted, { title: note.title || texts.untitled }), () => restore(note as Note))
  const rest = shown()
  await choose(rest[Math.min(at, rest.length - 1)] ?? blank())
  focusInList()
}

async function restore(note: Note) {
  await store.put(note)
  tabs.postMessage(note.id)
  notes = sorted([note, ...notes])
  await choose(note)
  focusInList()
}

// ——— reads by assistants

function showConnection(now: Standing, name?: string) {
  showStanding(now, name)
  element('retry').hidden = now.is !== 'unpaired' && now.is !== 'failed'
}

function showReads() {
  element('quiet').hidden = reads.length > 0
  element('reads').replaceChildren(
    ...reads.map(({ uri, by, at }) => {
      const item = document.createElement('li')
      const note = notes.find(({ id }) => id === noteOf(uri))
      const what = document.createElement(note ? 'button' : 'span')
      what.className = note ? 'what link' : 'what'
      what.textContent = note ? note.title || texts.untitled : nameOf(uri)
      if (note) what.addEventListener('click', () => void edit(note))
      const when = document.createElement('time')
      when.dateTime = at.toISOString()
      when.textContent = ago(at)
      const who = say(texts.by, { client: by ?? texts.anAssistant })
      item.append(what, when, text('span', who, 'kind'))
      return item
    }),
  )
}

function nameOf(uri: string): string {
  if (uri === openUri) return texts.openNote
  if (uri.startsWith('skill:')) return texts.skill
  return noteOf(uri) === undefined ? texts.store : texts.deletedNote
}

function keepReads(all: Read[]) {
  if (all.length === 0) return // before the first one, what is typed or focused stays as it is
  reads = all.slice(0, maxReads)
  showReads()
  showListKeepingFocus()
}

/** Highlights a note that is read. */
function noteRead(uri: string) {
  const item = document.getElementById(`note-${noteOf(uri) ?? open.id}`)
  item?.classList.add('glow')
  item?.addEventListener('animationend', () => item.classList.remove('glow'), { once: true })
}

/** Renders the list again, and keeps the focus. */
function showListKeepingFocus() {
  const focused = list.contains(document.activeElement) ? document.activeElement?.id : undefined
  showList()
  if (focused) document.getElementById(focused)?.focus({ preventScroll: true })
}

// ——— user actions

search.addEventListener('input', showList)
search.addEventListener('keydown', (event) => {
  if (event.key === 'ArrowDown' || event.key === 'Enter') {
    event.preventDefault()
    focusInList()
  } else if (event.key === 'Escape' && search.value === '') focusInList()
})

list.addEventListener('click', ({ target }) => {
  const note = noteAt(target as Element)
  if (note) void edit(note)
})
list.addEventListener('keydown', (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return
  const note = noteAt(event.target as Element)
  const act = note && listKeys(note)[event.key]
  if (act === undefined) return
  event.preventDefault()
  void act()
})

function noteAt(target: Element): Note | undefined {
  const id = Number(target.closest<HTMLElement>('[data-id]')?.dataset.id)
  return notes.find((note) => note.id === id)
}

function listKeys(note: Note): { [key: string]: () => unknown } {
  const found = shown()
  const at = found.indexOf(note)
  const go = async (to: number) => {
    const next = found[Math.min(Math.max(to, 0), found.length - 1)]
    if (next === undefined) return
    await choose(next)
    document.getElementById(`note-${next.id}`)?.focus()
  }
  return {
    ArrowDown: () => go(at + 1),
    ArrowUp: () => go(at - 1),
    Home: () => go(0),
    End: () => go(found.length - 1),
    Enter: () => edit(note),
    ' ': () => edit(note),
    Delete: () => remove(note),
    Backspace: () => remove(note),
    n: startNew,
    '/': () => search.focus(),
  }
}

function startNew() {
  search.value = ''
  return edit(blank())
}

const form = element<HTMLFormElement>('editor')
form.addEventListener('input', typed)
form.addEventListener('submit', (event) => {
  event.preventDefault() // Enter in the title
  body.focus()
})
form.addEventListener('keydown', (event) => {
  if (event.key !== 'Escape' || event.isComposing) return
  event.preventDefault()
  void save().then(focusInList)
})
element('new').addEventListener('click', () => void startNew())
element('back').addEventListener('click', () => void save().then(focusInList))
element('done').addEventListener('click', () => void toggleDone())
element('delete').addEventListener('click', () => void remove(open))
element('retry').addEventListener('click', () => serving?.retry())
addEventListener('pagehide', () => void save())
document.addEventListener('visibilitychange', () => void save())

// Other tabs of this app write into the same store.
tabs.addEventListener('message', async ({ data: id }: MessageEvent<number>) => {
  notes = sorted(await store.all())
  const newer = notes.find((note) => note.id === open.id)
  if (unsaved === undefined && newer) {
    open = newer
    if (title.value !== newer.title || body.value !== newer.text) showEditor()
  }
  showListKeepingFocus()
  serving?.changedElsewhere(id)
})

setInterval(() => {
  if (document.hidden) return
  showListKeepingFocus()
  showReads()
}, 20_000) // ms: as coarse as the times that are shown

showList()
showEditor()
showReads()
serving = await serveNotes(() => `# ${open.title || texts.untitled}\n\n${open.text}\n`, {
  standing: showConnection,
  read: noteRead,
  reads: keepReads,
})

function blank(): NewNote {
  const now = new Date()
  return { title: '', text: '', created: now, changed: now }
}

/** The newest first. */
function sorted(all: Note[]): Note[] {
  return all.sort((a, b) => b.changed.getTime() - a.changed.getTime())
}

function showKeys() {
  const { keys } = texts
  const hints: [keys: string[], text: string][] = [
    [['↑', '↓'], keys.choose],
    [['Enter'], keys.edit],
    [['n'], keys.add],
    [['/'], keys.search],
    [['Del'], keys.delete],
  ]
  for (const [names, what] of hints) {
    const hint = text('span', '')
    hint.append(...names.flatMap((name) => [text('kbd', name), ' ']), what)
    element('keys').append(hint, ' ')
  }
}
