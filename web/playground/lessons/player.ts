/**
 * Plays a scenario step by step against its own engine; its messages go through connections into the store, as
 * all messages do. Lessons, presentations and tests use the same player. In a lesson it waits for the
 * learner's messages and checks them.
 */

import { computed, type ReadonlySignal, signal } from '@preact/signals'
import { inPage } from '../connections/in-page.ts'
import type { Session } from '../connections/session.ts'
import type { Dialer } from '../connections/transport.ts'
import {
  isModern,
  isRevision,
  revisions as known,
  newest,
  type Revision,
} from '../protocol/revisions.ts'
import { captionIn } from './caption.ts'
import { type Client, newClient } from './client.ts'
import { learnerTurn, type MessageLine, type Turn } from './learner-turn.ts'
import type { Bindings, Difference } from './pattern.ts'
import { type Line, type Scenario, type Step, stepsIn } from './scenario.ts'
import type { ScenarioEngine } from './scenario-engine.ts'

/** What the player needs from the page or test. */
export interface PlayerHost {
  /** Opens a connection without a handshake. */
  connect(dialer: Dialer, revision: Revision): Session
  disconnect(session: Session): void
  /** Records an event; returns its row. */
  recordEvent(line: string): number
}

/** A failed step. */
export interface Failure {
  /** Index of the step, from 0. */
  step: number
  /** The line of the scenario, unchanged. */
  line: string
  /** The difference; undefined: no message came. */
  difference?: Difference
  /** The error of an event. */
  problem?: string
}

/** Steps of messages, as a presentation, a lesson or a chat shows them one by one. */
export interface Steps {
  title(): string
  readonly count: number
  /** Number of shown steps; fewer than played after {@link Steps.back}. */
  readonly shown: ReadonlySignal<number>
  /** Number of successful steps. */
  readonly played: ReadonlySignal<number>
  /** Rows of the shown steps, ascending. */
  readonly rows: ReadonlySignal<readonly number[]>
  /** Rows by step. Those of a handshake belong to the first. */
  readonly stepRows: ReadonlySignal<readonly (readonly number[])[]>
  /** The clients, in order of connection. */
  readonly clients: ReadonlySignal<readonly Session[]>
  /** Whether a step is being played. */
  readonly busy: ReadonlySignal<boolean>
  readonly failure: ReadonlySignal<Failure | undefined>
  /** The caption of a step, from 0, in the current language. */
  caption(step: number): string
  /** Names of members that a presentation marks, beside those in the caption. */
  marks(step: number): readonly string[]
  /** Shows the next step, and plays it first if necessary. Settles when it is shown. */
  next(): Promise<void>
  /** Hides the last step. Sent messages stay sent. */
  back(): void
  close(): void
}

/** The steps of a scenario. */
export interface Player extends Steps {
  readonly scenario: Scenario
  /** Undefined: messages are sent unchanged. */
  readonly revision: Revision | undefined
  readonly steps: readonly Step[]
  /** Whether a learner sends the `?` messages. */
  readonly learner: boolean
  /** The learner's turn. */
  readonly turn: ReadonlySignal<Turn | undefined>
  /** Sends the expected message for the learner. */
  solve(): void
  /** Unexpected messages by client, for checks at the end. */
  rest(): readonly string[]
}

export interface PlayOptions {
  host: PlayerHost
  /** Name of the server; default: that of the scenario. */
  server?: string
  /** Starts the scenario's engine at first use. */
  engine: () => Promise<ScenarioEngine>
  /** One of the scenario's revisions; default: the last. */
  revision?: Revision
  /** Whether a learner sends the `?` messages. */
  learner?: boolean
  /** Whether an unexpected message is a failure. */
  strict?: boolean
  /** Timeout of an expected message, ms; default 5000. */
  patience?: number
}

/** Prepares a scenario. The first client connects at once, with the handshake of its revision. */
export function play(scenario: Scenario, options: PlayOptions): Player {
  const { host, learner = false, strict = false, patience = 5000 } = options
  const { revisions } = scenario.options
  const wanted = options.revision
  const revision = revisions && (wanted && revisions.includes(wanted) ? wanted : revisions.at(-1))
  const steps = stepsIn(scenario, revision)
  const memory: Bindings = new Map()
  const clients = new Map<string, Promise<Client>>()
  const speakers: Client[] = []
  const sessions = signal<readonly Session[]>([])
  const ended = new AbortController()

  const shown = signal(0)
  const busy = signal(false)
  const turn = signal<Turn | undefined>(undefined)
  const failure = signal<Failure | undefined>(undefined)
  const stepRows = signal<readonly (readonly number[])[]>(steps.map(() => []))
  const played = signal(0)
  let current: Promise<void> | undefined
  let engine: Promise<ScenarioEngine> | undefined
  let solve = () => {}

  const took = (row: number) => {
    const at = Math.min(played.peek(), steps.length - 1)
    stepRows.value = stepRows.peek().map((rows, i) => (i === at ? [...rows, row] : rows))
  }
  const rows = computed(() => stepRows.value.slice(0, Math.max(shown.value, 1)).flat())

  const startedEngine = () => {
    engine ??= options.engine()
    return engine
  }
  const title = options.server ?? scenario.info.title ?? scenario.info.name ?? scenario.id
  const dialer = (): Dialer => inPage(title, async () => (await startedEngine()).port())
  const client = (name: string): Promise<Client> => {
    const known = clients.get(name)
    if (known) return known
    const session = host.connect(dialer(), revision ?? revisionOf(steps, name))
    session.connection.watch(took)
    const { signal } = ended
    const fresh = newClient({ session, revision, memory, patience, strict, signal })
    speakers.push(fresh)
    sessions.value = [...sessions.peek(), session]
    const handshaken = revision && !isModern(revision) && !hasOwnHandshake(steps, name)
    const ready = handshaken
      ? session.handshake(revision).then(() => fresh)
      : Promise.resolve(fresh)
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
      took(host.recordEvent(`${verb} ${subject} ${value}`.trim()))
      if (verb === 'close') (await client(subject)).session.connection.close()
      else await (await startedEngine()).event(verb, subject, value)
      return undefined
    }
    const speaker = await client(line.client)
    if (line.what === 'send') {
      if (isTurn && learner) await learnerSends(speaker, step, line)
      else speaker.send(isTurn && line.text.includes('"$any"') ? step.draft : line.text, line.exact)
      return undefined
    }
    return speaker.expect(line.text)
  }

  const playStep = async (step: Step) => {
    await Promise.all(clients.values()) // the handshakes are complete
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
    stepRows,
    title: () => captionIn(scenario, 'title') || title,
    count: steps.length,
    caption: (step) => captionIn(scenario, steps[step]?.caption ?? '', memory, learner),
    marks: (step) => steps[step]?.marks ?? [],
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
      for (const { session } of speakers) host.disconnect(session)
      engine?.then(
        (one) => one.close(),
        () => {},
      )
    },
  }
}

/** All messages that a client sends. */
const sentBy = (steps: readonly Step[], client: string): string[] =>
  steps.flatMap(({ lines }) =>
    lines.flatMap((line) => (line.what === 'send' && line.client === client ? line.text : [])),
  )

/** Whether the scenario contains the client's handshake. */
const hasOwnHandshake = (steps: readonly Step[], client: string): boolean =>
  sentBy(steps, client).some((text) => /"method":\s*"initialize"/.test(text))

/** The revision of a client's messages; for unsupported older ones, the oldest supported. */
function revisionOf(steps: readonly Step[], client: string): Revision {
  const first = /protocolVersion":\s*"([\d-]+)"/.exec(sentBy(steps, client).join('\n'))?.[1]
  if (first === undefined) return newest
  return isRevision(first) ? first : known[0]
}
