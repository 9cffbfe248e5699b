/** Starts what the address requests: `?lesson=hello` a lesson, `?present=eras` a presentation, `?present=live` that of the live messages. */

import { actions } from '../base/actions.ts'
import { t, textsLoaded } from '../base/i18n.ts'
import { embedded, readOnly } from '../base/settings.ts'
import { show } from '../base/state.ts'
import { builtIn, lessonIds, loadScenario } from './library.ts'
import { chatting, startScenario } from './running.ts'

/**
 * Starts it if it is built in, and announces unknown ids. `?scenario=` is a lesson if there is one of that name. A
 * lesson goes on where it was left; a view that is read-only presents it.
 */
export async function startFromAddress(asked: URLSearchParams): Promise<void> {
  const named = asked.get('scenario') ?? ''
  const isLesson = !readOnly && (lessonIds as readonly string[]).includes(named)
  const lesson = asked.get('lesson') ?? (isLesson ? named : '')
  const presented = asked.get('present') ?? named
  if ((lessonIds as readonly string[]).includes(lesson)) {
    startScenario(await loadScenario(lesson), { learner: true, resume: true })
    if (chatting.peek()) show({ pane: 'explore' })
    // Embedded, the list of lessons would only take room.
    if (chatting.peek() || !embedded) show({ side: 'lessons' })
  } else if (presented === 'live') {
    show({ presenting: true })
  } else if (builtIn(presented)) {
    startScenario(await loadScenario(presented), { learner: false })
    show({ presenting: true })
  } else if (lesson || presented) {
    await textsLoaded()
    actions.announce(t('lessons.notOpened', { reason: lesson || presented }))
  }
}
