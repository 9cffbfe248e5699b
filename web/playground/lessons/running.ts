/** The running scenario of this page; at most one. */

import { computed, type Signal, signal } from '@preact/signals'
import { contents, start } from 'pagemcp'
import { t } from '../base/i18n.ts'
import { part } from '../base/part.ts'
import { change, embedded, settings } from '../base/settings.ts'
import { coach, demoPaused, scripted, selected, show } from '../base/state.ts'
import { focusText } from '../compose/view.ts'
import { active, connect, disconnect, drafts, revision } from '../connections/clients.ts'
import { recordEvent } from '../messages/log.ts'
import { Coach } from './coach.tsx'
import { builtIn } from './library.ts'
import { type Player, type PlayerHost, play, type Steps } from './player.ts'
import { isChat, type Scenario, type Step } from './scenario.ts'
import { startScenarioEngine } from './scenario-engine.ts'

/** Undefined: none. */
export const running: Signal<Steps | Player | undefined> = signal(undefined)

export const playerOf = (steps: Steps | Player | undefined): Player | undefined =>
  steps && 'scenario' in steps ? steps : undefined

/** The steps if a learner takes them. */
export const lessonOf = (steps: Steps | Player | undefined): Player | undefined =>
  playerOf(steps)?.learner ? playerOf(steps) : undefined

/** Whether a lesson runs that is a chat, which its own component shows. */
export const chatting = computed(() => {
  const lesson = lessonOf(running.value)
  return lesson !== undefined && isChat(lesson.scenario)
})

/** @param beside - its clients are beside that of the user, which stays the active one */
const hostOf = (beside: boolean): PlayerHost => ({
  connect(dialer, wanted) {
    return connect(dialer, { handshake: false, beside, as: wanted, temporary: true })
  },
  disconnect,
  recordEvent,
})

/** The state before the scenario, to be restored. */
let before: { resting: boolean; session: typeof active.value }

/** Remembers what {@link stop} restores, and pauses the demo. */
function begin() {
  stop()
  before = { resting: demoPaused.peek(), session: active.peek() }
  selected.value = undefined // of what was before
  demoPaused.value = true
  scripted.value = true
}

/** Presents steps that are there already. */
export function present(steps: Steps): void {
  begin()
  running.value = steps
  show({ presenting: true })
}

/** Writes the scenario into the address, so that a link and a reload start it; `''`: none. */
function setAddress(id: string, learner = false) {
  if (embedded) return
  const url = new URL(location.href)
  url.searchParams.delete('lesson')
  url.searchParams.delete('present')
  if (builtIn(id)) url.searchParams.set(learner ? 'lesson' : 'present', id)
  history.replaceState(history.state, '', url)
}

export interface Start {
  learner: boolean
  /** Whether a lesson goes on where it was left: the steps before are played for the learner. */
  resume?: boolean
}

/** Starts a scenario, in the chosen revision if possible, and shows its first step. */
export function startScenario(scenario: Scenario, { learner, resume = false }: Start): Player {
  begin()
  const beside = learner && isChat(scenario)
  // An embedded playground stores nothing, and the demo has a database.
  const onDemo = scenario.options.demo === true && !embedded
  const player = play(scenario, {
    host: hostOf(beside),
    learner,
    revision: revision.peek(),
    ...(onDemo && { server: t('shell.demo') }),
    engine: onDemo
      ? async () => (await part(import('./demo-engine.ts'))).demoEngine()
      : () =>
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
  setAddress(scenario.id, learner)
  const skipped = resume
    ? Math.min(settings.peek().reached[scenario.id] ?? 0, player.steps.length - 1)
    : 0
  if (learner && !beside) {
    coach.value = Coach
    show({ pane: 'compose' })
    player.turn.subscribe((turn) => {
      if (turn === undefined) return
      if (player.played.peek() < skipped) return player.solve()
      active.value = turn.session
      if (turn.draft) compose(player, turn.draft)
    })
  }
  if (skipped === 0) advance(player)
  else skip(player, skipped).then(() => advance(player))
  return player
}

/** Plays the steps before one. */
async function skip(player: Player, before: number): Promise<void> {
  while (running.peek() === player && !player.failure.peek() && player.played.peek() < before) {
    await player.next()
  }
}

/** Shows a text in the composer, and focuses it. */
export function compose(player: Player, text: string): void {
  drafts.peek().replace(text, { title: player.title(), revision: revision.peek() })
  show({ front: 'compose', pane: 'compose' })
  focusText()
}

/**
 * Shows the next step. After a learner's step the following one is shown automatically, and after a text the task
 * that follows it; a lesson whose last step is shown is completed.
 */
export async function advance(shownSteps: Steps): Promise<void> {
  const { shown, played, failure } = shownSteps
  const at = played.peek()
  await shownSteps.next()
  const player = lessonOf(running.peek())
  if (player !== shownSteps || failure.peek() || played.peek() === at) return
  const { scenario, steps } = player
  const { [scenario.id]: _, ...others } = settings.peek().reached
  const left = played.peek() < steps.length
  change({ reached: left ? { ...others, [scenario.id]: played.peek() } : others })
  if (!left) setAddress('') // a reload does not begin it again
  const { done } = settings.peek()
  if (!left && !done.includes(scenario.id)) change({ done: [...done, scenario.id] })
  const goesOn = steps[at]?.learner || introduces(steps, at)
  if (goesOn && shown.peek() === at + 1) await advance(player)
}

/** Whether a step is only a text, which is shown together with the task that follows it. */
export const introduces = (steps: readonly Step[], at: number): boolean =>
  steps[at]?.lines.length === 0 && steps[at + 1]?.learner === true

/** Ends the scenario and its presentation. */
export function endScenario(): void {
  stop()
  show({ presenting: false })
}

/** Closes the connections; rows stay. */
function stop() {
  const player = running.peek()
  if (player === undefined) return
  running.value = undefined
  setAddress('')
  player.close()
  if (coach.peek() === Coach) coach.value = undefined
  demoPaused.value = before.resting
  if (before.session && before.session.connection.state.peek() !== 'closed')
    active.value = before.session
  scripted.value = false
}
