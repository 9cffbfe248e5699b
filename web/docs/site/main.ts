/** The documentation in the browser: theme, language, the list of pages on phones, buttons that copy. */

function element<T extends HTMLElement = HTMLElement>(id: string): T {
  return document.getElementById(id) as T
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
  const button = document.createElement('button')
  button.type = 'button'
  button.className = 'copy'
  button.textContent = copy
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

document.addEventListener('keydown', ({ key }) => {
  if (key !== 'Escape' || menu.ariaExpanded !== 'true') return
  showPages(false)
  menu.focus()
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
