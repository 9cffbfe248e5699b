import { liveQuery } from 'dexie'
import { idb, type PageMcp, start } from 'pagemcp'
import { defineAccess } from 'pagemcp/access'
import { tag } from '../shared/language.ts'
import { element, iconButton, make, showFailure, showPage } from '../shared/page.ts'
import { panel, showQuestion } from '../shared/panel.ts'
import { say } from '../shared/texts.ts'
import { toast } from '../shared/toast.ts'
import { serveSkill } from './skill.ts'
import { dayFrom, db, sorted, type Task } from './store.ts'
import { texts } from './texts.ts'

showPage('tasks', texts)
showQuestion(texts.question)

const list = element('tasks')
const form = element<HTMLFormElement>('add')
const title = element<HTMLInputElement>('title')
const due = element<HTMLSelectElement>('due')

/** How long a read task is highlighted; the same as in style.css. */
const glowing = 2400 // ms

let tasks: Task[] = []
let shown: 'open' | 'done' | 'all' = 'open'
/** When assistants have read a task last, by its number. */
const reads = new Map<number, Date>()

// ——— the list

function show() {
  const open = tasks.filter(({ state }) => state === 'open').length
  const found = tasks.filter(({ state }) => shown === 'all' || state === shown)
  element('left').textContent = open === 0 ? texts.nothingLeft : say(texts.left, { count: open })
  const share = tasks.length === 0 ? 0 : (tasks.length - open) / tasks.length
  element('bar').style.inlineSize = `${Math.round(share * 100)}%`
  const focused = document.activeElement?.id
  list.replaceChildren(...found.map(row))
  if (focused) document.getElementById(focused)?.focus({ preventScroll: true })
  element('empty').hidden = found.length > 0
  element('empty').textContent = shown === 'done' ? texts.noneDone : texts.noneOpen
}

function row(task: Task): HTMLElement {
  const box = document.createElement('input')
  box.type = 'checkbox'
  box.id = `done-${task.id}`
  box.checked = task.state === 'done'
  box.addEventListener('change', () => {
    const state = box.checked ? 'done' : 'open'
    void db.tasks.update(task.id, { state, changed: new Date() })
  })
  const name = document.createElement('label')
  name.htmlFor = box.id
  name.textContent = task.title
  const read = reads.get(task.id)
  const seen = make('span', 'seen', read ? say(texts.readAt, { when: clock(read) }) : '')
  seen.hidden = read === undefined
  const remove = iconButton('close', say(texts.delete, { title: task.title }), () => {
    title.focus()
    void db.tasks.delete(task.id)
    toast(say(texts.deleted, { title: task.title }), () => void db.tasks.put(task))
  })
  remove.classList.add('remove')
  const item = make('li', task.state, box, name, seen, make('span', 'due', day(task.due)), remove)
  item.id = `task-${task.id}`
  const since = Date.now() - (read?.getTime() ?? 0)
  if (since < glowing) {
    item.classList.add('glow')
    item.style.animationDelay = `-${since}ms` // continues the animation of the previous row
  }
  item.dataset.due = task.state === 'open' && task.due && task.due < today() ? 'late' : ''
  return item
}

function day(due: string | undefined): string {
  if (due === undefined) return texts.someDay
  if (due === today()) return texts.today
  if (due === dayFrom(1)) return texts.tomorrow
  const date = new Date(`${due}T00:00`)
  return date.toLocaleDateString(tag, { weekday: 'short', day: 'numeric', month: 'short' })
}

function today(): string {
  return dayFrom(0) ?? ''
}

function clock(date: Date): string {
  return date.toLocaleTimeString(tag, { hour: '2-digit', minute: '2-digit' })
}

// ——— reads by assistants

/** Highlights a read task; the read of a range is reported for each of its tasks. */
function noteRead(uri: string) {
  const id = Number(/\/tasks\/n\.(\d+)$/.exec(uri)?.[1])
  if (!tasks.some((task) => task.id === id)) return
  reads.set(id, new Date())
  show()
}

/** Whether the user is asked before assistants use this page: the demo is open otherwise. */
const asks = new URLSearchParams(location.search).get('access') === 'ask'

const ask = element<HTMLInputElement>('ask')
ask.checked = asks
ask.addEventListener('change', () => {
  const url = new URL(location.href)
  if (ask.checked) url.searchParams.set('access', 'ask')
  else url.searchParams.delete('access')
  location.replace(url) // the engine starts with it
})

function serve(mcp: PageMcp) {
  defineAccess(mcp)
  // These tasks, and nothing else. Writes by Dexie are noticed, in this tab and in others.
  const stores = { tasks: { title: 'title', modified: 'changed' } }
  mcp.mount(idb({ databases: { 'tasks-app': stores } }))
  serveSkill(mcp)
  mcp.on('read', ({ uri }) => noteRead(uri))
  panel(mcp)
}

// ——— user actions

form.addEventListener('submit', async (event) => {
  event.preventDefault()
  const text = title.value.trim()
  if (text === '') return
  const days = due.value === '' ? undefined : Number(due.value)
  form.reset()
  await db.tasks.add({ title: text, state: 'open', due: dayFrom(days), changed: new Date() })
})

for (const button of document.querySelectorAll<HTMLButtonElement>('[data-show]')) {
  button.addEventListener('click', () => {
    shown = button.dataset.show as typeof shown
    for (const one of document.querySelectorAll('[data-show]')) {
      one.ariaPressed = String(one === button)
    }
    show()
  })
}

element('day').textContent = new Date().toLocaleDateString(tag, {
  weekday: 'long',
  day: 'numeric',
  month: 'long',
})

/** Dexie runs the query again after each write of this tab or another one. */
liveQuery(() => db.tasks.toArray()).subscribe((found) => {
  tasks = sorted(found)
  show()
})

try {
  serve(
    await start({
      name: 'tasks',
      access: asks ? 'ask' : 'open',
      title: texts.name,
      version: '1.0.0',
      instructions: texts.instructions,
    }),
  )
} catch (error) {
  showFailure(error)
}
