/** The plan, which components show and assistants read and change. */

export interface Stop {
  readonly place: string
  readonly nights: number
  /** Who added it. */
  readonly by: 'you' | 'assistant'
}

export type Plan = readonly Stop[]

export const maxNights = 30
export const maxStops = 20

export const planUri = 'trip://plan'

/** Where the plan is kept: a reload, such as one for another language, keeps it. */
const key = 'trip.plan'

/** The plan of this tab, at first one of two places. */
export function stored([first = '', second = '']: readonly string[]): Plan {
  try {
    const plan: unknown = JSON.parse(sessionStorage.getItem(key) ?? 'null')
    if (Array.isArray(plan) && plan.every(isStop)) return plan
  } catch {
    // not ours: begin again
  }
  return [
    { place: first, nights: 3, by: 'you' },
    { place: second, nights: 1, by: 'you' },
  ]
}

export function store(plan: Plan): void {
  sessionStorage.setItem(key, JSON.stringify(plan))
}

function isStop(value: unknown): value is Stop {
  const { place, nights, by } = (value ?? {}) as Stop
  return (
    typeof place === 'string' && Number.isInteger(nights) && (by === 'you' || by === 'assistant')
  )
}

export function added(plan: Plan, stop: Stop): Plan {
  const known = plan.findIndex(({ place }) => same(place, stop.place))
  if (known < 0) return [...plan, stop]
  const { place, nights } = plan[known] as Stop
  return plan.with(known, { place, nights: clamp(nights + stop.nights), by: stop.by })
}

export function lengthened(plan: Plan, at: number, by: number): Plan {
  const stop = plan[at]
  if (stop === undefined) return plan
  return plan.with(at, { ...stop, nights: clamp(stop.nights + by) })
}

export function removed(plan: Plan, at: number): Plan {
  return plan.toSpliced(at, 1)
}

/** The plan with a stop that was removed from place `at`, unless it was added again. */
export function restored(plan: Plan, at: number, stop: Stop): Plan {
  return plan.some(({ place }) => same(place, stop.place)) ? plan : plan.toSpliced(at, 0, stop)
}

export function nightsOf(plan: Plan): number {
  return plan.reduce((sum, { nights }) => sum + nights, 0)
}

export function same(a: string, b: string): boolean {
  return a.trim().toLocaleLowerCase() === b.trim().toLocaleLowerCase()
}

const clamp = (nights: number) => Math.min(maxNights, Math.max(1, nights))
