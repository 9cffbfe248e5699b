/** The tasks of this app, stored by Dexie: database `tasks-app`, table `tasks`. It does not use PageMCP. */

import Dexie, { type EntityTable } from 'dexie'
import { texts } from './texts.ts'

export interface Task {
  id: number
  title: string
  state: 'open' | 'done'
  /** A day, as `2026-11-21`; `undefined`: no date. */
  due?: string | undefined
  changed: Date
}

export const db = new Dexie('tasks-app') as Dexie & { tasks: EntityTable<Task, 'id'> }

db.version(1).stores({ tasks: '++id, state, due' })
db.on('populate', () => {
  const days: [due: number | undefined, state?: Task['state']][] = [
    [0],
    [0],
    [0, 'done'],
    [1],
    [7],
    [undefined],
  ]
  const changed = new Date()
  void db.tasks.bulkAdd(
    days.map(([due, state = 'open'], i) => ({
      title: texts.seeds[i] ?? '',
      state,
      due: dayFrom(due),
      changed,
    })),
  )
})

/** The day that is `days` from today, in local time. */
export function dayFrom(days: number | undefined, now = new Date()): string | undefined {
  if (days === undefined) return undefined
  const day = new Date(now.getFullYear(), now.getMonth(), now.getDate() + days)
  const two = (n: number) => String(n).padStart(2, '0')
  return `${day.getFullYear()}-${two(day.getMonth() + 1)}-${two(day.getDate())}`
}

/** Open tasks first, by due day; tasks without a date last. */
export function sorted(tasks: Task[]): Task[] {
  const rank = ({ state, due, id }: Task) =>
    `${state === 'open' ? 0 : 1} ${due ?? '9'} ${String(id).padStart(12, '0')}`
  return tasks.toSorted((a, b) => (rank(a) < rank(b) ? -1 : 1))
}
