/** @jsxImportSource preact */
/**
 * The first ten seconds: the demo reads a note, subscribes to it, and changes it, without a click. One line
 * then explains what happened. Nothing changes for users who have started to type.
 */

import { actions } from '../base/actions.ts'
import { t } from '../base/i18n.ts'
import { coach, demoPaused } from '../base/state.ts'
import type { Session } from '../connections/session.ts'
import { store } from '../messages/log.ts'
import { request } from '../protocol/revisions.ts'
import { demo } from './demo.ts'

const watched = 'notes://today'

/** Delay until the first automatic change. */
const first = 2500 // ms

/**
 * Reads the note, subscribes, and changes it. The demo's other changes start after that, so that the user sees
 * one event at a time.
 */
export async function showFirstSubscription(session: Session): Promise<void> {
  const before = actions.composed()
  await session.request('resources/read', { uri: watched })
  await session.subscribe(watched)
  const { writeNote } = await demo()
  setTimeout(() => {
    if (coach.peek() === undefined) demoPaused.value = false // start the automatic changes
    writeNote('today', 'milk, bread')
  }, first)
  const stop = session.updates.subscribe((updates) => {
    if (!updates.has(watched)) return
    queueMicrotask(() => stop())
    if (coach.peek() === undefined) coach.value = Hint
    if (actions.composed() !== before) return
    const read = request(session.revision.peek(), 1, 'resources/read', { uri: watched })
    actions.compose(JSON.stringify(read, null, 2), { title: watched })
  })
}

/** Disappears after a read, or when it is dismissed. */
function Hint() {
  return (
    <p class="hint" role="note">
      {t('demo.changed')}{' '}
      <button type="button" onClick={() => (coach.value = undefined)}>
        {t('shell.close')}
      </button>
    </p>
  )
}

let processed = store.length
store.changed.subscribe(() => {
  // The user has read the note again: the hint is no longer needed.
  for (; processed < store.length; processed++) {
    const read =
      store.direction(processed) === 'out' && store.method(processed) === 'resources/read'
    if (read && coach.peek() === Hint) coach.value = undefined
  }
})
