/** The documentation in the browser: search, theme, language, the list of pages on phones, buttons that copy. */

import { loadInView } from './embedded.ts'
import { type Hit, type Index, search, termsOf } from './search.ts'

const root = document.documentElement.dataset.root ?? ''

function element<T extends HTMLElement = HTMLElement>(id: string): T {
  return document.getElementById(id) as T
}

function make<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  className: string,
  ...children: (string | Node)[]
): HTMLElementTagNameMap[K] {
  const made = document.createElement(tag)
  if (className) made.className = className
  made.append(...children)
  return made
}

/** Stores a setting of the playground, which has the same origin. */
function store(name: string, value: string) {
  try {
    localStorage.setItem(`pagemcp.playground.${name}`, JSON.stringify(value))
  } catch {
    // no storage: for this page only
  }
}

// Theme and language

element('theme').addEventListener('click', () => {
  const { dataset } = document.documentElement
  const dark = dataset.theme
    ? dataset.theme === 'dark'
    : matchMedia('(prefers-color-scheme: dark)').matches
  dataset.theme = dark ? 'light' : 'dark'
  store('theme', dataset.theme)
})

element<HTMLSelectElement>('language').addEventListener('change', ({ currentTarget }) => {
  const field = currentTarget as HTMLSelectElement
  store('locale', field.selectedOptions[0]?.dataset.language ?? '')
  location.assign(field.value)
})

// The list of pages

const menu = element('menu')
const pages = element('pages')

function showPages(open: boolean) {
  menu.ariaExpanded = String(open)
  pages.classList.toggle('open', open)
  if (open)
    (pages.querySelector<HTMLElement>('[aria-current]') ?? pages.querySelector('a'))?.focus()
}

menu.addEventListener('click', () => showPages(menu.ariaExpanded !== 'true'))
document.addEventListener('click', ({ target }) => {
  if (
    menu.ariaExpanded === 'true' &&
    !pages.contains(target as Node) &&
    !menu.contains(target as Node)
  ) {
    showPages(false)
  }
})
const current = pages.querySelector<HTMLElement>('[aria-current]')
if (current) pages.scrollTop = current.offsetTop - pages.clientHeight / 3

// Code

for (const box of document.querySelectorAll<HTMLElement>('.code')) {
  const { copy = '', copied = '' } = document.body.dataset
  const button = make('button', 'copy', copy)
  button.type = 'button'
  button.addEventListener('click', async () => {
    const code = box.querySelector('code') as HTMLElement
    try {
      await navigator.clipboard.writeText(code.textContent ?? '')
      button.textContent = copied
    } catch {
      getSelection()?.selectAllChildren(code) // not permitted: the text is selected, to be copied by keyboard
    }
    setTimeout(() => {
      button.textContent = copy
    }, 2000)
  })
  box.append(button)
}

// Search

const finder = element<HTMLDialogElement>('finder')
const query = element<HTMLInputElement>('query')
let index: Promise<Index> | undefined

function loadIndex(): Promise<Index> {
  index ??= fetch(`${root}search.json`).then((response) => {
    if (!response.ok) throw new Error(`search.json: ${response.status}`)
    return response.json() as Promise<Index>
  })
  index.catch(() => {
    index = undefined // tried again with the next letter
  })
  return index
}

function openFinder() {
  void loadIndex().catch(() => {})
  finder.showModal()
  query.select()
}

/** A text in which words are marked that begin as those of the query. */
function marked(text: string, terms: readonly string[]): (string | Node)[] {
  const escaped = terms.map((term) => term.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
  const pieces = text.split(new RegExp(`(?<![\\p{L}\\p{N}])(${escaped.join('|')})`, 'iu'))
  return pieces.map((piece, i) => (i % 2 === 1 ? make('mark', '', piece) : piece))
}

function row({ path, anchor, page, heading, excerpt }: Hit, terms: readonly string[]): HTMLElement {
  const link = make(
    'a',
    '',
    make('strong', '', ...marked(heading, terms)),
    make('small', '', page === heading ? '' : page),
    make('span', '', ...marked(excerpt, terms)),
  )
  link.href = `${root}${path}.html${anchor && `#${anchor}`}`
  return make('li', '', link)
}

async function find() {
  const text = query.value
  const found = await loadIndex().catch(() => undefined)
  if (found === undefined || text !== query.value) return
  const terms = termsOf(text)
  const hits = search(found, text)
  element('results').replaceChildren(...hits.map((hit) => row(hit, terms)))
  const none = terms.length > 0 && hits.length === 0
  element('count').textContent = none ? (document.body.dataset.none ?? '') : ''
}

element('find').addEventListener('click', openFinder)
query.addEventListener('input', () => void find())
document.addEventListener('keydown', (event) => {
  const { key, ctrlKey, metaKey, altKey } = event
  const typing = (event.target as Element).closest?.('input, textarea, select')
  if (
    (key === '/' && !typing && !ctrlKey && !metaKey && !altKey) ||
    (key === 'k' && (ctrlKey || metaKey))
  ) {
    event.preventDefault()
    if (!finder.open) openFinder()
  }
  if (key === 'Escape' && menu.ariaExpanded === 'true') {
    showPages(false)
    menu.focus()
  }
})

// #search=… opens the search: other pages link to what is said about an error.
const asked = new URLSearchParams(location.hash.slice(1)).get('search')
if (asked) {
  query.value = asked
  openFinder()
  void find()
}

finder.addEventListener('keydown', (event) => {
  const links = [...finder.querySelectorAll('a')]
  const at = links.indexOf(document.activeElement as HTMLAnchorElement)
  if (event.key === 'ArrowDown') links[Math.min(at + 1, links.length - 1)]?.focus()
  else if (event.key === 'ArrowUp') (at > 0 ? links[at - 1] : query)?.focus()
  else if (event.key === 'Enter' && document.activeElement === query) links[0]?.click()
  else return
  event.preventDefault()
})
finder.addEventListener('click', ({ target }) => {
  if (target === finder || (target as Element).closest('a')) finder.close()
})

// The heading that is read, in the list of headings

const headings = new Map<Element, Element>()
for (const link of document.querySelectorAll('.headings a')) {
  const target = document.getElementById(
    decodeURIComponent((link as HTMLAnchorElement).hash.slice(1)),
  )
  if (target) headings.set(target, link)
}

function markHeading() {
  let now: Element | undefined
  for (const [heading, link] of headings) {
    if (heading.getBoundingClientRect().top < 120) now = link
  }
  for (const link of headings.values()) link.classList.toggle('now', link === now)
}

if (headings.size > 0) {
  let asked = false
  document.addEventListener(
    'scroll',
    () => {
      if (asked) return
      asked = true
      requestAnimationFrame(() => {
        asked = false
        markHeading()
      })
    },
    { passive: true },
  )
  markHeading()
}

// A lesson in the page

const lesson = document.querySelector<HTMLElement>('mcp-playground')
if (lesson) loadInView(lesson, new URL(`${root}../playground/`, location.href))
