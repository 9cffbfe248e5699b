/** @jsxImportSource preact */
/**
 * The first ten seconds: a note is read and watched without a click, soon it changes, and one line says
 * what has happened and what to do. Whoever has begun to write is left alone.
 */

import { actions } from '../base/actions.ts'
import { t } from '../base/i18n.ts'
import { coach, demoPaused } from '../base/state.ts'
import type { Session } from '../connections/session.ts'
import { store } from '../messages/log.ts'
import { request } from '../protocol/revisions.ts'
import { demo } from './demo.ts'

const watched = 'notes://today'

/** When the note changes by itself for the first time. */
const first = 2500 // ms

/** Reads and watches, lets the note change, and then the world live. Until then it rests, so that one thing happens at a time. */
export async function showFirstSubscription(session: Session): Promise<void> {
  const before = actions.composed()
  await session.request('resources/read', { uri: watched })
  await session.subscribe(watched)
  const { writeNote } = await demo()
  setTimeout(() => {
    if (coach.peek() === undefined) demoPaused.value = false // from now on it lives
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

/** Goes when what it asks for was done, or when it is sent away. */
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

let seen = store.length
store.changed.subscribe(() => {
  // Somebody has read it again: the hint has done what it is for.
  for (; seen < store.length; seen++) {
    const read = store.direction(seen) === 'out' && store.method(seen) === 'resources/read'
    if (read && coach.peek() === Hint) coach.value = undefined
  }
})
