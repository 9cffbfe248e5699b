/** The skill that this page offers: how a model should use it. */

import type { PageMcp } from 'pagemcp'
import { offerSkill } from '../shared/skill.ts'

const description =
  'Answers what is to be done, today or later, from the task list in this browser, and suggests an order. Use it for questions about tasks, deadlines and plans.'

const instructions = `
# Plan the day

1. Read \`idb:///tasks-app/tasks/index/state/s.open\` for all open tasks. Each has \`title\`, \`due\` (a day such as \`2026-12-24\`, or none) and \`changed\`.
2. For what is due until a day, read \`idb:///tasks-app/tasks/index/due?to=s.2026-12-24\` with that day, and leave out the tasks whose \`state\` is \`done\`.
3. Suggest an order: what is late first, then what is due today, then the rest by day. Tasks without a day come last.
4. Keep to the titles as they are written, and say how many tasks are left.

You cannot tick off or add tasks. Say so if the user asks for it.
`

export function serveSkill(mcp: PageMcp): void {
  offerSkill(
    mcp,
    'tasks',
    { name: 'plan-the-day', description },
    instructions,
    'idb:///tasks-app/tasks/index/state/s.open',
  )
}
