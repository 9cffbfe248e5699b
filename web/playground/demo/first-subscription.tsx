/** @jsxImportSource preact */
/**
 * The introduction, once per profile of the browser: the demo reads a note, subscribes to it, and changes it,
 * without a click. One line then explains what happened. It takes neither focus nor pane, and changes no text
 * that the user wrote.
 */

import { t } from '../base/i18n.ts'
import { change, settings } from '../base/settings.ts'
import { coach, demoPaused, scripted, selected } from '../base/state.ts'
import { active, drafts } from '../connections/clients.ts'
import type { Session } from '../connections/session.ts'
import { store } from '../messages/log.ts'
import { pretty } from '../protocol/pretty.ts'
import { request } from '../protocol/revisions.ts'
import { listOf } from './contents.ts'
import { demo } from './demo.ts'

const watched = 'notes://today'

/** Delay until the first automatic change. */
const first = 1000 // ms

/** Shows the introduction. If the profile has seen it, only subscribes, and the demo's changes start. */
export async function showFirstSubscription(session: Session): Promise<void> {
  if (!settings.peek().introduced) return introduce(session)
  await session.subscribe(watched)
  whenFree(() => {
    if (coach.peek() === undefined) demoPaused.value = false
  })
}

/** Acts once no scenario plays. */
function whenFree(act: () => void): void {
  const stop = scripted.subscribe(() =>
    queueMicrotask(() => {
      if (scripted.peek()) return
      stop()
      act()
    }),
  )
}

/**
 * Reads the note, subscribes, and changes it. The demo's other changes start after that, so that the user sees
 * one event at a time.
 */
export async function introduce(session: Session): Promise<void> {
  const read = request(session.revision.peek(), 1, 'resources/read', { uri: watched })
  if (coach.peek() === Hint) coach.value = undefined
  const { row } = await session.request('resources/read', { uri: watched })
  if (settings.peek().bench && selected.peek() === undefined && row >= 0) selected.value = row
  await session.subscribe(watched)
  const { writeNote } = await demo()
  const count = session.updates.peek().get(watched)?.count ?? 0
  const writeFirst = () => {
    if (coach.peek() === undefined) demoPaused.value = false // start the automatic changes
    writeNote('today', listOf(0, 2))
  }
  setTimeout(() => whenFree(writeFirst), first)
  const stop = session.updates.subscribe((updates) => {
    if ((updates.get(watched)?.count ?? 0) === count || scripted.peek()) return
    queueMicrotask(() => stop())
    change({ introduced: true })
    if (active.peek() !== session) return // the user looks at another server by now
    if (coach.peek() === undefined) coach.value = Hint
    session.drafts.begin(pretty(read), watched)
  })
}

/** Disappears after a read, or when it is dismissed, and while Send would not read the note. */
function Hint() {
  if (!drafts.value.open.value.text.includes(watched)) return null
  return (
    <p class="hint notice" data-is="good" role="note">
      {t('demo.changed')}{' '}
      <button type="button" onClick={() => (coach.value = undefined)}>
        {t('shell.close')}
      </button>
    </p>
  )
}

// Another server has no such note.
active.subscribe((session) => {
  if (session === undefined || session.connection.dialer.kind === 'in-page') return
  if (coach.peek() === Hint) coach.value = undefined
})

let processed = store.length
store.changed.subscribe(() => {
  // The user has read the note again: the hint is no longer needed.
  for (; processed < store.length; processed++) {
    const read =
      store.direction(processed) === 'out' && store.method(processed) === 'resources/read'
    if (read && coach.peek() === Hint) coach.value = undefined
  }
})
