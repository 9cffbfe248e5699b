import { liveQuery } from 'dexie'
import { idb, type PageMcp, start } from 'pagemcp'
import { element, make, panel, showFailure } from '../shared/panel.ts'
import { dayFrom, db, sorted, type Task } from './store.ts'

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
  element('left').textContent = open === 0 ? 'Nothing left' : `${open} open`
  const share = tasks.length === 0 ? 0 : (tasks.length - open) / tasks.length
  element('bar').style.inlineSize = `${Math.round(share * 100)}%`
  const focused = document.activeElement?.id
  list.replaceChildren(...found.map(row))
  if (focused) document.getElementById(focused)?.focus({ preventScroll: true })
  element('empty').hidden = found.length > 0
  element('empty').textContent =
    shown === 'done' ? 'Nothing is done yet.' : 'Nothing to do. Enjoy the day.'
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
  const seen = make('span', 'seen', read ? `read ${clock(read)}` : '')
  seen.hidden = read === undefined
  const remove = document.createElement('button')
  remove.type = 'button'
  remove.className = 'remove'
  remove.ariaLabel = `Delete ${task.title}`
  remove.textContent = '×'
  remove.addEventListener('click', () => {
    title.focus()
    void db.tasks.delete(task.id)
  })
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
  if (due === undefined) return 'some day'
  if (due === today()) return 'today'
  if (due === dayFrom(1)) return 'tomorrow'
  const date = new Date(`${due}T00:00`)
  return date.toLocaleDateString('en-GB', { weekday: 'short', day: 'numeric', month: 'short' })
}

function today(): string {
  return dayFrom(0) ?? ''
}

function clock(date: Date): string {
  return date.toLocaleTimeString('en-GB', { hour: '2-digit', minute: '2-digit' })
}

// ——— reads by assistants

/** Highlights a read task; the read of a range is reported for each of its tasks. */
function noteRead(uri: string) {
  const id = Number(/\/tasks\/n\.(\d+)$/.exec(uri)?.[1])
  if (!tasks.some((task) => task.id === id)) return
  reads.set(id, new Date())
  show()
}

function serve(mcp: PageMcp) {
  // These tasks, and nothing else. Writes by Dexie are noticed, in this tab and in others.
  const stores = { tasks: { title: 'title', modified: 'changed' } }
  mcp.mount('', idb({ databases: { 'tasks-app': stores } }))
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

element('day').textContent = new Date().toLocaleDateString('en-GB', {
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
      title: 'Tasks',
      version: '1.0.0',
      instructions:
        'The task list of the person at this browser. Open tasks: idb:///tasks-app/tasks/index/state/s.open.',
    }),
  )
} catch (error) {
  showFailure(error)
}
