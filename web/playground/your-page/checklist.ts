/**
 * Watches for a page: that its server responds, that it joins the gateway, and what clients receive from it.
 * Nothing is opened, and nothing is sent but one GET without credentials, to a host of this machine or one that the user has
 * confirmed before.
 */

import { effect, type Signal, signal } from '@preact/signals'
import type { Key } from '../base/i18n.ts'
import { sessions } from '../connections/clients.ts'
import { hostNeedingConsent } from '../connections/consent.ts'
import { checkAddress } from '../connections/doctor.ts'
import {
  type GatewayState,
  gatewayState,
  monitorStatus,
  onMonitoredMessage,
  startMonitoring,
} from '../connections/gateway.ts'
import { isAbout } from '../connections/monitor.ts'
import type { Session } from '../connections/session.ts'

export const steps = ['loaded', 'joined', 'resource', 'read', 'change'] as const
export type Step = (typeof steps)[number]

/** What is wrong with a step, and what to do. */
export interface Problem {
  says: Key
  params?: Readonly<Record<string, string>>
}

export interface Checklist {
  url: string
  done: Signal<ReadonlySet<Step>>
  /** Of the first step that is not done, once it is late. */
  problem: Signal<Problem | undefined>
  /** The name of the page at the gateway; `''`: it has not joined. */
  page: Signal<string>
  stop(): void
}

/** After so long without the next step, the cause is shown. */
const patience = 10_000 // ms

/** What a message to a client shows of its page. */
export function stepOf(text: string): Step | undefined {
  let message: { method?: string; result?: { resources?: unknown[]; contents?: unknown[] } } | null
  try {
    message = JSON.parse(text)
  } catch {
    return undefined
  }
  if (/^notifications\/resources\/(updated|list_changed)$/.test(String(message?.method)))
    return 'change'
  if (Array.isArray(message?.result?.contents)) return 'read'
  return message?.result?.resources?.length ? 'resource' : undefined
}

/** Why a page may not have joined: its origin, or the page itself. */
export function whyNotJoined(url: string, { mayJoin }: GatewayState): Problem {
  const { origin } = new URL(url)
  return mayJoin.includes(origin)
    ? { says: 'yourPage.notJoined', params: { origin } }
    : { says: 'yourPage.notAllowed', params: { origin, other: mayJoin.join(', ') || '–' } }
}

/** The first step that is not done. */
export const nextStep = (done: ReadonlySet<Step>): Step | undefined =>
  steps.find((step) => !done.has(step))

/** @param options - tests pass a shorter patience and their own request */
export function watchPage(
  url: string,
  { wait = patience, get = fetch as (url: string, init: RequestInit) => Promise<unknown> } = {},
): Checklist | Problem {
  const wrong = checkAddress(url, {
    origin: location.origin,
    secure: location.protocol === 'https:',
  }).find(({ state }) => state === 'bad')
  if (wrong) return { says: wrong.says }
  const { origin } = new URL(url)
  const done: Checklist['done'] = signal(new Set())
  const problem: Checklist['problem'] = signal(undefined)
  const page = signal('')
  const ends = new AbortController()
  let timer: ReturnType<typeof setTimeout> | undefined
  let unreachable = false

  const diagnose = (): Problem | undefined => {
    const step = nextStep(done.peek())
    const state = gatewayState.peek()
    switch (step) {
      case undefined:
        return undefined
      case 'loaded':
        if (unreachable) return { says: 'connections.doctor.unreachable' }
        break
      case 'joined':
        break
      default:
        return { says: `yourPage.no.${step}` }
    }
    if (monitorStatus.peek().is === 'failed' || !state) return { says: 'yourPage.no.gateway' }
    return whyNotJoined(url, state)
  }
  const restart = () => {
    clearTimeout(timer)
    problem.value = undefined
    if (nextStep(done.peek()) && !ends.signal.aborted)
      timer = setTimeout(() => {
        problem.value = diagnose()
      }, wait)
  }
  const reach = (...some: Step[]) => {
    if (some.every((step) => done.peek().has(step))) return
    done.value = new Set([...done.peek(), ...some])
    restart()
  }

  if (hostNeedingConsent(url) === undefined)
    get(url, {
      mode: 'no-cors',
      credentials: 'omit',
      cache: 'no-store',
      referrerPolicy: 'no-referrer',
      signal: AbortSignal.any([ends.signal, AbortSignal.timeout(wait)]),
    }).then(
      () => reach('loaded'),
      () => {
        if (ends.signal.aborted) return
        unreachable = true
        problem.value = diagnose()
      },
    )
  void startMonitoring()
  const stopState = effect(() => {
    const joined = gatewayState.value?.pages.find((one) => one.here && one.origin === origin)
    if (monitorStatus.value.is === 'failed') problem.value = diagnose()
    if (!joined) return
    page.value = joined.name
    reach('loaded', 'joined')
    if (joined.reads > 0) reach('read')
  })
  const note = (text: string) => {
    const step = stepOf(text)
    if (step && page.peek() !== '') reach(step)
  }
  const stopMessages = onMonitoredMessage((message) => {
    if (message.to === 'assistant' && isAbout(message, page.peek())) note(message.text)
  })
  // The gateway does not report the playground's own messages.
  const known = new Set<Session>()
  const stopSessions = effect(() => {
    for (const session of sessions.value) {
      const { connection } = session
      const { kind, title } = connection.dialer
      if (known.has(session) || kind !== 'gateway' || title !== page.peek()) continue
      known.add(session)
      connection.watch((row, text) => {
        if (!ends.signal.aborted && connection.direction(row) === 'in') note(text)
      })
    }
  })
  restart()
  return {
    url,
    done,
    problem,
    page,
    stop() {
      ends.abort()
      clearTimeout(timer)
      stopState()
      stopMessages()
      stopSessions()
    },
  }
}
