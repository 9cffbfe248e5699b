import { start } from 'pagemcp'
import { tag } from '../shared/language.ts'
import { element, icon, iconButton, make, showFailure, showPage } from '../shared/page.ts'
import { panel, showQuestion } from '../shared/panel.ts'
import { say } from '../shared/texts.ts'
import { toast } from '../shared/toast.ts'
import { all, copyOf, put, remove } from './files.ts'
import { preview } from './preview.ts'
import { sizeText } from './sizes.ts'
import { serveSkill } from './skill.ts'
import { nameOf, source, uriOf } from './source.ts'
import { texts } from './texts.ts'

showPage('drop', texts)
showQuestion(texts.question)

const zone = element('zone')
const list = element('list')
const input = element<HTMLInputElement>('files')
const elsewhere = new BroadcastChannel('drop') // other tabs of this page

/** When assistants have read a file last, by URI. */
const reads = new Map<string, Date>()
/** Names of the files whose contents are shown. */
const shownFiles = new Set<string>()
/** When a file was stored, by name, for the effect on its row. */
const stored = new Map<string, number>()

/** How long a row stays highlighted; the same as in style.css. */
const glowing = 2400 // ms

// ——— the list

let shows = 0
let previews = new AbortController()

async function show() {
  const nth = ++shows
  const files = await all()
  if (nth !== shows) return // a newer call is running
  previews.abort()
  previews = new AbortController()
  element('count').textContent = files.length === 0 ? '' : summary(files)
  element('empty').hidden = files.length > 0
  const focused = document.activeElement?.id
  list.replaceChildren(...files.map(row))
  if (focused) document.getElementById(focused)?.focus({ preventScroll: true })
}

function summary(files: readonly File[]): string {
  const bytes = files.reduce((sum, { size }) => sum + size, 0)
  return say(texts.count, { count: files.length, size: sizeText(bytes) })
}

function row(file: File, i: number): HTMLElement {
  const { name, size, lastModified } = file
  const uri = uriOf(name)
  const kind = make('span', 'badge', /\.(\w{1,4})\w*$/.exec(name)?.[1] ?? '')
  kind.ariaHidden = 'true'
  const when = document.createElement('time')
  when.dateTime = new Date(lastModified).toISOString()
  when.textContent = new Date(lastModified).toLocaleString(tag, {
    day: 'numeric',
    month: 'short',
    hour: '2-digit',
    minute: '2-digit',
  })
  const about = make('span', 'soft', sizeText(size), ' · ', when)
  const read = reads.get(uri)
  if (read) about.append(' · ', make('span', 'read', say(texts.readAt, { when: clock(read) })))
  const content = make('div', 'content')
  content.id = `content-${i}`
  const open = make(
    'button',
    'open link',
    make('span', 'name', name),
    icon('down'),
  ) as HTMLButtonElement
  open.type = 'button'
  open.id = `file-${name}`
  open.setAttribute('aria-controls', content.id)
  open.title = say(texts.show, { name })
  const facts = make('div', '', open, about, make('code', 'uri soft', uri))
  const item = make('li', 'row', kind, facts, deleteButton(name), content)
  item.dataset.uri = uri
  const showContent = () => {
    const isShown = shownFiles.has(name)
    open.ariaExpanded = String(isShown)
    content.hidden = !isShown
    if (!isShown || content.firstChild) return
    preview(file, previews.signal)
      .then((parts) => content.replaceChildren(...parts))
      .catch(() => {}) // the file has changed meanwhile: the list is shown again
  }
  open.addEventListener('click', () => {
    if (!shownFiles.delete(name)) shownFiles.add(name)
    showContent()
  })
  item.addEventListener('keydown', ({ key }) => key === 'Delete' && void discard(name))
  showContent()
  glow(item, Math.max(read?.getTime() ?? 0, stored.get(name) ?? 0))
  return item
}

function deleteButton(name: string): HTMLButtonElement {
  return iconButton('trash', say(texts.delete, { name }), () => void discard(name))
}

/** Highlights a row for the rest of its time. */
function glow(item: HTMLElement, since: number) {
  const passed = Date.now() - since
  if (passed >= glowing) return
  item.classList.add('glow')
  item.style.animationDelay = `-${passed}ms` // continues the animation of the previous row
}

function clock(date: Date): string {
  return date.toLocaleTimeString(tag, { hour: '2-digit', minute: '2-digit' })
}

// ——— user actions

/**
 * Changes a file, and notifies other tabs and the source.
 *
 * @returns whether it succeeded
 */
async function change(name: string, act: () => Promise<void>): Promise<boolean> {
  element('problem').hidden = true
  let done = true
  try {
    await act()
  } catch (error) {
    done = false
    const reason = error instanceof Error ? error.message : String(error)
    element('problem').textContent = say(texts.problem, { name, reason })
    element('problem').hidden = false
  }
  await show()
  elsewhere.postMessage(name)
  return done
}

async function take(files: Iterable<File>) {
  for (const file of files) {
    const old = await copyOf(file.name)
    stored.set(file.name, Date.now())
    if (!(await change(file.name, () => put(file)))) continue
    if (old) toast(say(texts.replaced, { name: file.name }), () => void restore(old))
  }
}

async function discard(name: string) {
  const rows = [...list.children]
  const at = rows.findIndex((one) => (one as HTMLElement).dataset.uri === uriOf(name))
  const old = await copyOf(name)
  if (!(await change(name, () => remove(name)))) return
  toast(say(texts.deleted, { name }), old && (() => void restore(old)))
  const next = list.children[Math.min(at, list.childElementCount - 1)]
  ;(next?.querySelector<HTMLElement>('.open') ?? element('list-title')).focus()
}

async function restore(file: File) {
  stored.set(file.name, Date.now())
  await change(file.name, () => put(file))
  document.getElementById(`file-${file.name}`)?.focus()
}

const samples = () => texts.seeds.map(({ name, text }) => new File([text], name))

input.addEventListener(
  'change',
  () =>
    void take([...(input.files ?? [])]).then(() => {
      input.value = ''
    }),
)
element('samples').addEventListener('click', () => void take(samples()))

for (const type of ['dragenter', 'dragover'] as const) {
  document.addEventListener(type, (event) => {
    if (!event.dataTransfer?.types.includes('Files')) return
    event.preventDefault()
    event.dataTransfer.dropEffect = 'copy'
    zone.dataset.over = 'true'
  })
}
document.addEventListener('dragleave', ({ relatedTarget }) => {
  if (relatedTarget === null) delete zone.dataset.over
})
document.addEventListener('drop', (event) => {
  delete zone.dataset.over
  const files = [...(event.dataTransfer?.files ?? [])]
  if (files.length === 0) return
  event.preventDefault()
  void take(files)
})
document.addEventListener(
  'paste',
  ({ clipboardData }) => void take([...(clipboardData?.files ?? [])]),
)
elsewhere.addEventListener('message', ({ data }) => {
  stored.set(String(data), Date.now())
  void show()
})

await show()

// ——— and the same, served

try {
  const mcp = start({
    name: 'drop',
    access: 'open', // a demo, wherever it is served
    title: texts.name,
    version: '1.0.0',
    instructions: texts.instructions,
  })
  await mcp.ready
  mcp.mount(source)
  serveSkill(mcp)
  mcp.on('read', ({ uri }) => {
    reads.set(uri, new Date())
    void show()
  })
  panel(mcp, nameOf)
} catch (error) {
  showFailure(error)
}
