import { opfs, start } from 'pagemcp'
import { element, make, panel, showFailure } from '../shared/panel.ts'
import { all, path, put, remove, samples, uriOf } from './files.ts'

const zone = element('zone')
const list = element('list')
const input = element<HTMLInputElement>('files')
const elsewhere = new BroadcastChannel('drop') // other tabs of this page
let served: { changed(uri?: string): void } | undefined

// ——— the list

let shows = 0

async function show() {
  const nth = ++shows
  const files = await all()
  if (nth !== shows) return // a newer call is running
  element('count').textContent = files.length === 0 ? '' : summary(files)
  element('empty').hidden = files.length > 0
  list.replaceChildren(...files.map(row))
}

function summary(files: readonly File[]): string {
  const bytes = files.reduce((sum, { size }) => sum + size, 0)
  return `${files.length === 1 ? 'one file' : `${files.length} files`}, ${sizeText(bytes)}`
}

function row({ name, size, lastModified }: File): HTMLElement {
  const kind = make('span', 'kind', name.split('.').at(-1)?.slice(0, 4) ?? '')
  kind.ariaHidden = 'true'
  const when = document.createElement('time')
  when.dateTime = new Date(lastModified).toISOString()
  when.textContent = new Date(lastModified).toLocaleString('en-GB', {
    day: 'numeric',
    month: 'short',
    hour: '2-digit',
    minute: '2-digit',
  })
  const gone = make('button', 'remove', '×') as HTMLButtonElement
  gone.type = 'button'
  gone.ariaLabel = `Delete ${name}`
  gone.addEventListener('click', () => void change(name, () => remove(name)))
  const uri = make('code', 'uri', uriOf(name))
  const about = make('span', 'about', sizeText(size), ' · ', when)
  const item = make('li', '', kind, make('strong', 'name', name), about, uri, gone)
  item.dataset.uri = uriOf(name)
  return item
}

function sizeText(bytes: number): string {
  if (bytes < 1000) return bytes === 1 ? '1 byte' : `${bytes} bytes`
  return bytes < 1e6 ? `${(bytes / 1e3).toFixed(1)} kB` : `${(bytes / 1e6).toFixed(1)} MB`
}

// ——— user actions

/** Changes a file, and notifies other tabs and the engine. */
async function change(name: string, act: () => Promise<void>) {
  element('problem').hidden = true
  try {
    await act()
  } catch (error) {
    element('problem').textContent = `${name}: ${error instanceof Error ? error.message : error}`
    element('problem').hidden = false
  }
  await show()
  elsewhere.postMessage(name)
  tell(name)
}

/** With a FileSystemObserver this is announced twice, which is harmless. */
function tell(name: string) {
  served?.changed(uriOf(name))
  served?.changed(`opfs://${path}`)
  served?.changed()
}

async function take(files: Iterable<File>) {
  for (const file of files) await change(file.name, () => put(file))
}

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
  void show()
  tell(String(data))
})

await show()

// ——— and the same, served

try {
  const mcp = await start({
    name: 'drop',
    title: 'Drop',
    version: '1.0.0',
    instructions: `Files that the person at this browser has dropped here. opfs://${path} lists them.`,
  })
  mcp.mount('', opfs({ paths: [path] })) // this directory, nothing else
  mcp.on('read', ({ uri }) => glow(uri))
  panel(mcp)
  served = mcp
} catch (error) {
  showFailure(error)
}

function glow(uri: string) {
  for (const item of list.querySelectorAll<HTMLElement>('li')) {
    if (item.dataset.uri !== uri) continue
    item.classList.add('glow')
    item.addEventListener('animationend', () => item.classList.remove('glow'), { once: true })
  }
}
