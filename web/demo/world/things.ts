/** The list of resources: each with its contents, and when it was read and changed. */

import { tag } from '../shared/language.ts'
import { element, make } from '../shared/page.ts'
import { say } from '../shared/texts.ts'
import { served } from './served.ts'
import { texts } from './texts.ts'
import type { Thing } from './world.ts'

interface Row {
  item: HTMLElement
  event: HTMLElement
  content: HTMLElement
}

const rows = new Map<string, Row>()

/** Adds a resource to the end of the list. */
export function addThing({ uri, name, title, mimeType }: Thing): void {
  const event = make('span', 'soft event')
  const content = make('div', 'content')
  const summary = make(
    'summary',
    'row',
    make('div', '', make('strong', '', title ?? name), make('code', 'soft', uri)),
    make('div', 'facts', make('span', 'soft', mimeType ?? ''), event),
  )
  const item = make('li', '', make('details', '', summary, content))
  element('things').append(item)
  rows.set(uri, { item, event, content })
  showContent(uri)
}

export function removeThing(uri: string): void {
  rows.get(uri)?.item.remove()
  rows.delete(uri)
}

/** Shows that a resource was read or changed, now, and what it contains. */
export function happened(uri: string, what: 'read' | 'changed'): void {
  const row = rows.get(uri)
  if (row === undefined) return
  const when = new Date().toLocaleTimeString(tag, { hour: '2-digit', minute: '2-digit' })
  row.event.textContent = say(what === 'read' ? texts.readAt : texts.changed, { when })
  row.event.classList.toggle('read', what === 'read')
  row.item.classList.remove('glow')
  requestAnimationFrame(() => row.item.classList.add('glow'))
  showContent(uri)
}

/** Elements for contents by the first part of a MIME type; `label` describes the content. */
const media: {
  readonly [kind: string]: (label: string) => HTMLImageElement | HTMLMediaElement
} = {
  image: (alt) => Object.assign(document.createElement('img'), { alt }),
  audio: (ariaLabel) =>
    Object.assign(document.createElement('audio'), { ariaLabel, controls: true }),
  video: (ariaLabel) =>
    Object.assign(document.createElement('video'), { ariaLabel, controls: true, muted: true }),
}

function showContent(uri: string) {
  const row = rows.get(uri)
  const thing = served.thing(uri)
  if (row === undefined || thing === undefined) return
  const [kind = ''] = thing.mimeType?.split('/') ?? []
  const create = media[kind]
  if (create !== undefined && thing.blob !== undefined) {
    const shown = create(say(texts.contents, { name: thing.title ?? thing.name }))
    shown.src = `data:${thing.mimeType};base64,${thing.blob}`
    row.content.replaceChildren(shown)
    return
  }
  row.content.replaceChildren(make('pre', '', thing.text ?? `${thing.blob?.slice(0, 120)}…`))
}
