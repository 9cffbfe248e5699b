/** Starts what the address requests: `?lesson=hello` a lesson, `?present=eras` a presentation. */

import { pane, presenting, side } from '../base/state.ts'
import { showCoach } from './coaching.ts'
import { lessonIds, loadScenario, showIds } from './library.ts'
import { chatting, startScenario } from './running.ts'

/** Starts it if it is built in; unknown ids are ignored. */
export async function startFromAddress(asked: URLSearchParams): Promise<void> {
  const ours: readonly string[] = [...lessonIds, ...showIds]
  const lesson = asked.get('lesson')
  const show = asked.get('present')
  if (lesson !== null && (lessonIds as readonly string[]).includes(lesson)) {
    side.value = 'lessons'
    showCoach()
    startScenario(await loadScenario(lesson), { learner: true })
    if (chatting.peek()) pane.value = 'explore'
  } else if (show !== null && ours.includes(show)) {
    startScenario(await loadScenario(show), { learner: false })
    presenting.value = true
  }
}
