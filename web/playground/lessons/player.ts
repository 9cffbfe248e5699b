/**
 * Plays a scenario, a step at a time, against an engine of its own: what is sent and what comes goes
 * through connections into the store, as all traffic does. The same in a browser, in a presentation and in a
 * test. In front of a learner it waits for what they send, and looks at it.
 */

import { computed, type ReadonlySignal, signal } from '@preact/signals'
import { inPage } from '../connections/in-page.ts'
import type { Session } from '../connections/session.ts'
import type { Dialer, TransportEvents } from '../connections/transport.ts'
import {
  isModern,
  isRevision,
  revisions as known,
  newest,
  type Revision,
} from '../protocol/revisions.ts'
import { type Client, newClient } from './client.ts'
import { learnerTurn, type MessageLine, type Turn } from './learner-turn.ts'
import type { Bindings, Difference } from './pattern.ts'
import { type Line, type Scenario, type Step, stepsIn } from './scenario.ts'
import type { ScenarioEngine } from './scenario-engine.ts'

/** Where it is played. */
export interface PlayerHost {
  /** Opens a connection, and does not greet. */
  connect(dialer: Dialer, revision: Revision): Session
  disconnect(session: Session): void
  /** Says that something recordEvent in the world; returns its row. */
  recordEvent(line: string): number
}

/** A step that did not go as it should. */
export interface Failure {
  /** From 0. */
  step: number
  /** The line of the scenario, as it is written. */
  line: string
  /** Where the message differs; undefined: there was none. */
  difference?: Difference
  /** What was thrown by an event. */
  problem?: string
}

export interface Player {
  readonly scenario: Scenario
  /** Undefined: everything as it is written. */
  readonly revision: Revision | undefined
  readonly steps: readonly Step[]
  /** How many steps are seen; fewer than were played after {@link Player.back}. */
  readonly shown: ReadonlySignal<number>
  /** How many steps went as they should. */
  readonly played: ReadonlySignal<number>
  /** Whether somebody is there to send what `?` asks for. */
  readonly learner: boolean
  /** Rows of the steps that are seen, ascending. */
  readonly rows: ReadonlySignal<readonly number[]>
  /** The clients, in the order in which they came. */
  readonly clients: ReadonlySignal<readonly Session[]>
  /** Whether a step is being played. */
  readonly busy: ReadonlySignal<boolean>
  /** The learner's turn: the line to send. */
  readonly turn: ReadonlySignal<Turn | undefined>
  readonly failure: ReadonlySignal<Failure | undefined>
  /** Shows the next step; one that was not played yet is played first. Settles when it has been. */
  next(): Promise<void>
  /** Shows a step less. What was sent stays sent. */
  back(): void
  /** Sends for the learner what is to be sent. */
  solve(): void
  /** What came in no step, by client. Of use at the end. */
  rest(): readonly string[]
  close(): void
}

export interface PlayOptions {
  stage: PlayerHost
  /** Sets the scene when it is first needed. */
  scene: () => Promise<ScenarioEngine>
  /** Of those that the scenario can be played in; default: its last. */
  revision?: Revision
  /** Whether somebody is there to send what `?` asks for. */
  learner?: boolean
  /** Whether a message that is not expected is a failure. */
  strict?: boolean
  /** ms until silence is a failure; default 5000. */
  patience?: number
}

/** Sets a scenario up. The first client connects at once, and where that is usual greets. */
export function play(scenario: Scenario, options: PlayOptions): Player {
  const { stage, learner = false, strict = false, patience = 5000 } = options
  const { revisions, recorded } = scenario.options
  const wanted = options.revision
  const revision = revisions && (wanted && revisions.includes(wanted) ? wanted : revisions.at(-1))
  const steps = stepsIn(scenario, revision)
  const memory: Bindings = new Map()
  const clients = new Map<string, Promise<Client>>()
  const speakers: Client[] = []
  const sessions = signal<readonly Session[]>([])
  const voices = new Map<string, TransportEvents>() // of a recording: who hears what was written down
  const ended = new AbortController()

  const shown = signal(0)
  const busy = signal(false)
  const turn = signal<Turn | undefined>(undefined)
  const failure = signal<Failure | undefined>(undefined)
  const stepRows = signal<readonly (readonly number[])[]>(steps.map(() => []))
  const played = signal(0)
  let current: Promise<void> | undefined
  let scene: Promise<ScenarioEngine> | undefined
  let solve = () => {}

  const took = (row: number) => {
    const at = Math.min(played.peek(), steps.length - 1)
    stepRows.value = stepRows.peek().map((rows, i) => (i === at ? [...rows, row] : rows))
  }
  const rows = computed(() => stepRows.value.slice(0, Math.max(shown.value, 1)).flat())

  const theScene = () => {
    scene ??= options.scene()
    return scene
  }
  const dialerOf = (name: string): Dialer => {
    const title = scenario.info.title ?? scenario.info.name ?? scenario.id
    if (!recorded) return inPage(title, async () => (await theScene()).port())
    const dial = async (events: TransportEvents) => {
      voices.set(name, events)
      return { send() {}, close() {} }
    }
    return { title, kind: 'in-page', url: '', framing: 'port', dial }
  }
  const client = (name: string): Promise<Client> => {
    const known = clients.get(name)
    if (known) return known
    const session = stage.connect(dialerOf(name), revision ?? revisionOf(steps, name))
    session.connection.watch(took)
    const { signal } = ended
    const fresh = newClient({ session, revision, memory, patience, strict, signal })
    speakers.push(fresh)
    sessions.value = [...sessions.peek(), session]
    const greeted = revision && !isModern(revision) && !hasOwnHandshake(steps, name)
    const ready = greeted ? session.handshake(revision).then(() => fresh) : Promise.resolve(fresh)
    clients.set(name, ready)
    return ready
  }

  const learnerSends = async (speaker: Client, step: Step, line: MessageLine) => {
    const asked = learnerTurn(speaker, step, line, ended.signal)
    solve = asked.solve
    turn.value = asked.turn
    await asked.said
    turn.value = undefined
    solve = () => {}
  }

  const playLine = async (step: Step, line: Line, isTurn: boolean) => {
    if (line.what === 'event') {
      const { verb, subject, value } = line
      took(stage.recordEvent(`${verb} ${subject} ${value}`.trim()))
      if (verb === 'close' && !recorded) (await client(subject)).session.connection.close()
      else if (!recorded) await (await theScene()).event(verb, subject, value)
      return undefined
    }
    const speaker = await client(line.client)
    if (line.what === 'send') {
      if (isTurn && learner) await learnerSends(speaker, step, line)
      else speaker.send(isTurn && line.text.includes('"$any"') ? step.draft : line.text, line.exact)
      return undefined
    }
    if (!recorded) return speaker.expect(line.text)
    voices.get(line.client)?.received(line.text, 'port')
    return undefined
  }

  const playStep = async (step: Step) => {
    await Promise.all(clients.values()) // whoever greets has greeted
    let isTurn = step.learner
    for (const line of step.lines) {
      let wrong: Partial<Failure> | undefined
      try {
        wrong = await playLine(step, line, isTurn)
      } catch (error) {
        wrong = { problem: error instanceof Error ? error.message : String(error) }
      }
      if (ended.signal.aborted) return
      if (wrong) {
        const written = line.what === 'event' ? `${line.verb} ${line.subject}` : line.text
        failure.value = { step: played.peek(), line: written, ...wrong }
        return
      }
      if (line.what === 'send') isTurn = false
    }
  }

  const first = steps.flatMap(({ lines }) => lines).find(({ what }) => what !== 'event')
  client(first && first.what !== 'event' ? first.client : '')

  return {
    scenario,
    revision,
    steps,
    shown,
    played,
    learner,
    rows,
    clients: sessions,
    busy,
    turn,
    failure,
    next() {
      const begun = played.peek() + (current || failure.peek() ? 1 : 0)
      if (shown.peek() < begun) {
        shown.value++
        return Promise.resolve()
      }
      const step = steps[played.peek()]
      if (current) return current
      if (step === undefined || failure.peek() || ended.signal.aborted) return Promise.resolve()
      busy.value = true
      shown.value++
      current = playStep(step).finally(() => {
        current = undefined
        if (!failure.peek()) played.value++
        busy.value = false
      })
      return current
    },
    back() {
      shown.value = Math.max(shown.peek() - 1, 0)
    },
    solve: () => solve(),
    rest: () => speakers.flatMap(({ rest }) => rest),
    close() {
      ended.abort()
      for (const { session } of speakers) stage.disconnect(session)
      scene?.then(
        (one) => one.close(),
        () => {},
      )
    },
  }
}

/** What a client sends in all. */
const sentBy = (steps: readonly Step[], client: string): string[] =>
  steps.flatMap(({ lines }) =>
    lines.flatMap((line) => (line.what === 'send' && line.client === client ? line.text : [])),
  )

/** Whether the handshake of a client is part of the scenario. */
const hasOwnHandshake = (steps: readonly Step[], client: string): boolean =>
  sentBy(steps, client).some((text) => /"method":\s*"initialize"/.test(text))

/** The revision that a client's messages are written in; of those older than ours, our oldest. */
function revisionOf(steps: readonly Step[], client: string): Revision {
  const first = /protocolVersion":\s*"([\d-]+)"/.exec(sentBy(steps, client).join('\n'))?.[1]
  if (first === undefined) return newest
  return isRevision(first) ? first : known[0]
}
