/** The running scenario of this page; at most one. */

import { type Signal, signal } from '@preact/signals'
import { contents, start } from 'pagemcp'
import { actions } from '../base/actions.ts'
import { t } from '../base/i18n.ts'
import { part } from '../base/part.ts'
import { embedded, setting } from '../base/settings.ts'
import { demoPaused, pane, presenting, scripted } from '../base/state.ts'
import { close, current } from '../compose/tabs.ts'
import { focusText } from '../compose/view.ts'
import { active, connect, disconnect, revision } from '../connections/clients.ts'
import { recordEvent } from '../messages/log.ts'
import { captionIn } from './caption.ts'
import { builtIn } from './library.ts'
import { type Player, type PlayerHost, play } from './player.ts'
import { isChat, type Scenario, type Step } from './scenario.ts'
import { startScenarioEngine } from './scenario-engine.ts'

/** Undefined: none. */
export const running: Signal<Player | undefined> = signal(undefined)

/** Whether the running scenario is a lesson. */
export const isLearning = signal(false)

/** Whether the running scenario is a chat, which its own component shows. */
export const chatting = signal(false)

/** Number of played steps of lessons that were begun and not completed, by id. */
export const reached = setting<Readonly<Record<string, number>>>('lessons.reached', {})

/** Ids of completed lessons. */
export const done = setting<string[]>('lessons.done', [])

const host: PlayerHost = {
  connect(dialer, wanted) {
    const user = active.peek()
    const session = connect(dialer, { handshake: false })
    session.revision.value = wanted
    if (chatting.peek()) active.value = user // the assistant is a client beside that of the user
    return session
  },
  disconnect,
  recordEvent,
}

/** The state before the scenario, to be restored. */
let before: { resting: boolean; revision: typeof revision.value; session: typeof active.value }

/** The revision that the scenario set; the user may have changed it since. */
let scenarioRevision: typeof revision.value | undefined

function setScenarioRevision(next: typeof revision.value) {
  scenarioRevision = next
  revision.value = next
}

/** Remembers what {@link stop} restores, and pauses the demo. */
function begin() {
  stop()
  before = { resting: demoPaused.peek(), revision: revision.peek(), session: active.peek() }
  demoPaused.value = true
  scripted.value = true
}

/** Presents a player that plays already. */
export function present(player: Player): void {
  begin()
  running.value = player
  presenting.value = true
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
  chatting.value = learner && isChat(scenario)
  // An embedded playground stores nothing, and the demo has a database.
  const onDemo = scenario.options.demo === true && !embedded
  const player = play(scenario, {
    host,
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
  const skipped = resume ? Math.min(reached.peek()[scenario.id] ?? 0, player.steps.length - 1) : 0
  if (player.revision && !chatting.peek()) setScenarioRevision(player.revision)
  if (learner && !chatting.peek()) {
    isLearning.value = true
    pane.value = 'compose'
    player.turn.subscribe((turn) => {
      if (turn === undefined) return
      if (player.played.peek() < skipped) return player.solve()
      active.value = turn.session
      setScenarioRevision(turn.session.revision.peek())
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

/** The composer tab of the lesson. */
let lessonTab: number | undefined

/** Shows a text in the lesson's tab of the composer, and focuses it. */
export function compose({ scenario }: Player, text: string): void {
  const before = lessonTab
  actions.compose(text, { title: captionIn(scenario, 'title'), temporary: true })
  lessonTab = current.peek()
  if (before !== undefined && before !== lessonTab) close(before)
  focusText()
}

/**
 * Shows the next step. After a learner's step the following one is shown automatically, and after a text the task
 * that follows it; a lesson whose last step is shown is completed.
 */
export async function advance(player: Player): Promise<void> {
  const { scenario, steps, shown, played, learner, failure } = player
  const at = played.peek()
  await player.next()
  if (running.peek() !== player || failure.peek() || played.peek() === at) return
  if (!learner) return
  const { [scenario.id]: _, ...others } = reached.peek()
  const left = played.peek() < steps.length
  reached.value = left ? { ...others, [scenario.id]: played.peek() } : others
  if (!left) setAddress('') // a reload does not begin it again
  if (played.peek() === steps.length && !done.peek().includes(scenario.id)) {
    done.value = [...done.peek(), scenario.id]
  }
  const goesOn = steps[at]?.learner || introduces(steps, at)
  if (goesOn && shown.peek() === at + 1) await advance(player)
}

/** Whether a step is only a text, which is shown together with the task that follows it. */
export const introduces = (steps: readonly Step[], at: number): boolean =>
  steps[at]?.lines.length === 0 && steps[at + 1]?.learner === true

/** Ends the scenario and its presentation. */
export function endScenario(): void {
  stop()
  presenting.value = false
}

/** Closes the connections; rows stay. */
function stop() {
  const player = running.peek()
  if (player === undefined) return
  running.value = undefined
  setAddress('')
  player.close()
  if (lessonTab !== undefined) close(lessonTab)
  lessonTab = undefined
  isLearning.value = false
  chatting.value = false
  demoPaused.value = before.resting
  if (revision.peek() === scenarioRevision) revision.value = before.revision
  scenarioRevision = undefined
  if (before.session && before.session.connection.state.peek() !== 'closed')
    active.value = before.session
  scripted.value = false
}
