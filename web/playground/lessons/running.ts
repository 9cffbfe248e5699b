/** The scenario that runs now, in this page: at most one. */

import { type Signal, signal } from '@preact/signals'
import { contents, start } from 'pagemcp'
import { actions } from '../base/actions.ts'
import { setting } from '../base/settings.ts'
import { demoPaused, pane, presenting } from '../base/state.ts'
import { close, current } from '../compose/tabs.ts'
import { focusText } from '../compose/view.ts'
import { active, connect, disconnect, revision } from '../connections/clients.ts'
import { recordEvent } from '../messages/log.ts'
import { captionIn } from './caption.ts'
import { type Player, type PlayerHost, play } from './player.ts'
import type { Scenario } from './scenario.ts'
import { startScenarioEngine } from './scenario-engine.ts'

/** Undefined: none. */
export const running: Signal<Player | undefined> = signal(undefined)

/** Whether the scenario that runs is a lesson that a learner goes through. */
export const isLearning = signal(false)

/** Ids of the lessons that were done to the end. */
export const done = setting<string[]>('lessons.done', [])

const stage: PlayerHost = {
  connect(dialer, wanted) {
    const session = connect(dialer, { handshake: false })
    session.revision.value = wanted
    return session
  },
  disconnect,
  recordEvent,
}

/** What was before, to be as it was. */
let before: { resting: boolean; revision: typeof revision.value; session: typeof active.value }

/** The revision that a scenario has chosen; another one was chosen by hand since, and stays. */
let spoken: typeof revision.value | undefined

function speak(next: typeof revision.value) {
  spoken = next
  revision.value = next
}

/** Sets a scenario up, in the revision that is chosen if it can, and shows its first step. */
export function begin(scenario: Scenario, { learner }: { learner: boolean }): Player {
  stop()
  before = { resting: demoPaused.peek(), revision: revision.peek(), session: active.peek() }
  demoPaused.value = true
  const player = play(scenario, {
    stage,
    learner,
    revision: revision.peek(),
    scene: () =>
      startScenarioEngine(
        scenario,
        { start, contents },
        {
          urls: {
            worker: new URL('worker.js', document.baseURI),
            wasm: new URL('engine.wasm', document.baseURI),
          },
        },
      ),
  })
  running.value = player
  if (player.revision) speak(player.revision)
  if (learner) {
    isLearning.value = true
    pane.value = 'compose'
    player.turn.subscribe((turn) => {
      if (turn === undefined) return
      active.value = turn.session
      speak(turn.session.revision.peek())
      if (turn.draft) compose(player, turn.draft)
    })
  }
  advance(player)
  return player
}

/** The tab of the composer that a lesson has opened. */
let lessonTab: number | undefined

/** Puts a text into the composer, in place of what the lesson put there before, and goes there. */
export function compose({ scenario }: Player, text: string): void {
  const before = lessonTab
  actions.compose(text, { title: captionIn(scenario, 'title') })
  lessonTab = current.peek()
  if (before !== undefined && before !== lessonTab) close(before)
  focusText()
}

/**
 * Shows the next step. After one that a learner had to do, the one after follows by itself, and a lesson
 * whose last step is shown is done.
 */
export async function advance(player: Player): Promise<void> {
  const { scenario, steps, shown, played, learner, failure } = player
  const at = played.peek()
  await player.next()
  if (running.peek() !== player || failure.peek() || played.peek() === at) return
  if (!learner) return
  if (played.peek() === steps.length && !done.peek().includes(scenario.id)) {
    done.value = [...done.peek(), scenario.id]
  }
  if (steps[at]?.learner && shown.peek() === at + 1) await advance(player)
}

/** Ends what runs, and a presentation of it. */
export function leave(): void {
  stop()
  presenting.value = false
}

/** Rows stay, connections do not. */
function stop() {
  const player = running.peek()
  if (player === undefined) return
  running.value = undefined
  player.close()
  if (lessonTab !== undefined) close(lessonTab)
  lessonTab = undefined
  isLearning.value = false
  demoPaused.value = before.resting
  if (revision.peek() === spoken) revision.value = before.revision
  spoken = undefined
  if (before.session && before.session.connection.state.peek() !== 'closed')
    active.value = before.session
}
