/** The last decisions, of all tabs of the app. They are read when the user opens the list. */

import type { AuditEntry, PageAccess } from '../access-types.ts'
import { plainLabel } from '../plain-label.ts'
import { make } from './dom.ts'
import { nameOf } from './names.ts'
import type { Texts } from './texts.ts'
import { moment } from './times.ts'

/** The most entries that are shown. */
const maxEntries = 20

/** The most of a URI or a name that is shown. */
const maxWhat = 120 // UTF-16 code units

export function auditList(
  access: PageAccess,
  texts: Texts,
  locale: string,
): { readonly element: HTMLElement; changed(): void } {
  const list = make('ol', 'entries')
  const none = make('p', 'none', texts.noAudit)
  none.hidden = true
  const element = make('details', 'audit', make('summary', '', texts.audit), list, none)
  let last = 0
  const load = async () => {
    if (!element.open) return
    const own = ++last
    const entries = await access.audit()
    if (own !== last) return // there is a newer one
    list.replaceChildren(...entries.slice(0, maxEntries).map((entry) => item(entry, texts, locale)))
    list.hidden = entries.length === 0
    none.hidden = entries.length > 0
  }
  const changed = () => {
    load().catch((error: unknown) => globalThis.reportError?.(error))
  }
  element.addEventListener('toggle', changed)
  return { element, changed }
}

function item(entry: AuditEntry, texts: Texts, locale: string): HTMLLIElement {
  const time = make('time', 'time', moment(entry.time, locale, true))
  time.dateTime = new Date(entry.time).toISOString()
  const what = plainLabel(`${entry.method} ${entry.what ?? ''}`, maxWhat)
  const decision = entry.allow ? texts.allowed : texts.refused
  const made = make(
    'li',
    entry.allow ? 'entry' : 'entry denied',
    time,
    ' ',
    make('bdi', 'name', nameOf(entry.assistant, texts)),
    ' ',
    make('bdi', 'what', what),
    ' ',
    make('span', 'decision', `${decision} · ${texts.reasons[entry.reason] ?? entry.reason}`),
  )
  return made
}
