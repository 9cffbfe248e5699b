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

export const beginning: Plan = [
  { place: 'Lisbon', nights: 3, by: 'you' },
  { place: 'Sintra', nights: 1, by: 'you' },
]

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

export function nightsOf(plan: Plan): number {
  return plan.reduce((sum, { nights }) => sum + nights, 0)
}

export function same(a: string, b: string): boolean {
  return a.trim().toLocaleLowerCase() === b.trim().toLocaleLowerCase()
}

const clamp = (nights: number) => Math.min(maxNights, Math.max(1, nights))
