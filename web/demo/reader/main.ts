/** An article that shows which part of it an assistant has read. */

import { page, start, storage } from 'pagemcp'
import { tag } from '../shared/language.ts'
import { element, showFailure, showPage } from '../shared/page.ts'
import { panel, showQuestion } from '../shared/panel.ts'
import { say } from '../shared/texts.ts'
import { serveSkill } from './skill.ts'
import { texts } from './texts.ts'

showPage('reader', { ...texts, ...texts.article, name: texts.article.title })
showQuestion(`${texts.question} ${texts.lightsUp}`)

/** The sections, by the name that they have in URIs. */
const sections = { opening: '#opening', night: '#night', table: '#table', order: '#order' }

/** The key of the text size; no other entry is served. */
const sizeKey = 'reader.size'
const notesKey = 'reader.notes'
const sizes = ['small', 'normal', 'large', 'huge']

const readAt = new Map<string, Date>()

/** Marks are beside the sections, not in them: a read must not change the served text. */
function mark(uri: string) {
  const [, name] = /^page:\/\/\/(\w+)\/\w+$/.exec(uri) ?? []
  const whole = /^page:\/\/\/(?:text|outline)$/.test(uri)
  const names = whole ? Object.keys(sections) : name && name in sections ? [name] : []
  for (const one of names) {
    readAt.set(one, new Date())
    const shown = document.querySelector<HTMLElement>(`.mark[data-part="${one}"]`)
    if (shown === null) continue
    shown.textContent = say(texts.readAt, { when: timeOf(new Date()) })
    shown.dataset.read = ''
    shown.classList.remove('glow')
    requestAnimationFrame(() => shown.classList.add('glow'))
  }
  if (names.length > 0) {
    const count = readAt.size
    const all = Object.keys(sections).length
    element('tally').textContent = say(texts.tally, { count, all })
  }
}

const timeOf = (date: Date) => date.toLocaleTimeString(tag, { hour: '2-digit', minute: '2-digit' })

// ——— user actions

function resize(by: number) {
  const now = sizes.indexOf(localStorage.getItem(sizeKey) ?? 'normal')
  const next = sizes[Math.min(Math.max(now + by, 0), sizes.length - 1)] ?? 'normal'
  if (by !== 0) localStorage.setItem(sizeKey, next)
  document.documentElement.dataset.size = next
  element<HTMLButtonElement>('smaller').disabled = next === sizes[0]
  element<HTMLButtonElement>('larger').disabled = next === sizes.at(-1)
}

element('smaller').addEventListener('click', () => resize(-1))
element('larger').addEventListener('click', () => resize(1))
resize(0)

const notes = element<HTMLTextAreaElement>('notes')
notes.value = localStorage.getItem(notesKey) ?? ''
notes.addEventListener('input', () => localStorage.setItem(notesKey, notes.value))

element('form').addEventListener('submit', (event) => {
  event.preventDefault()
  element('done').textContent = texts.article.thanks
})

document.addEventListener('selectionchange', () => {
  const selection = document.getSelection()
  const inside = selection?.anchorNode && element('article').contains(selection.anchorNode)
  const words = inside ? selection.toString().replace(/\s+/g, ' ').trim() : ''
  if (words === '' && selection?.anchorNode) return // the last selection stays shown
  const short = words.length > 120 ? `${words.slice(0, 119)}…` : words
  element('selection').textContent = short || texts.select
})

try {
  const mcp = await start({
    name: 'reader',
    access: 'open', // a demo, wherever it is served
    title: texts.article.title,
    instructions: texts.instructions,
  })
  mcp.mount(page({ select: sections })) // these sections, nothing else of the page
  mcp.mount(storage({ local: [sizeKey] })) // this key, and not the notes
  serveSkill(mcp)
  panel(mcp)
  mcp.on('read', ({ uri }) => mark(uri))
} catch (error) {
  showFailure(error)
}
