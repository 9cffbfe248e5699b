/** The tasks of this app, kept by Dexie: database `tasks-app`, table `tasks`. It knows nothing of PageMCP. */

import Dexie, { type EntityTable } from 'dexie'

export interface Task {
  id: number
  title: string
  state: 'open' | 'done'
  /** A day, as `2026-11-21`; undefined is some day. */
  due?: string | undefined
  changed: Date
}

export const db = new Dexie('tasks-app') as Dexie & { tasks: EntityTable<Task, 'id'> }

db.version(1).stores({ tasks: '++id, state, due' })
db.on('populate', () => {
  const first: [title: string, due: number | undefined, state?: Task['state']][] = [
    ['Book the dentist', 0],
    ['Send Ana the photos from Lisbon', 0],
    ['Water the plants', 0, 'done'],
    ['Pay the electricity bill', 1],
    ['Return the library books', 7],
    ['Learn to bake sourdough', undefined],
  ]
  const changed = new Date()
  void db.tasks.bulkAdd(
    first.map(([title, days, state = 'open']) => ({ title, state, due: dayFrom(days), changed })),
  )
})

/** The day that is so many days from today, here. */
export function dayFrom(days: number | undefined, now = new Date()): string | undefined {
  if (days === undefined) return undefined
  const day = new Date(now.getFullYear(), now.getMonth(), now.getDate() + days)
  const two = (n: number) => String(n).padStart(2, '0')
  return `${day.getFullYear()}-${two(day.getMonth() + 1)}-${two(day.getDate())}`
}

/** Open tasks first, each by the day they are due; some day comes last. */
export function sorted(tasks: Task[]): Task[] {
  const rank = ({ state, due, id }: Task) =>
    `${state === 'open' ? 0 : 1} ${due ?? '9'} ${String(id).padStart(12, '0')}`
  return tasks.toSorted((a, b) => (rank(a) < rank(b) ? -1 : 1))
}
