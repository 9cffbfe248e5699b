/** The skill that this page offers: how a model should use it. */

import type { PageMcp } from 'pagemcp'
import { offerSkill } from '../shared/skill.ts'

const description =
  'Reads and extends the trip that the user plans on this page: stops, nights, and what to pack. Use it when they ask about the trip, or want to add or remove a stop.'

const instructions = `
# Plan a trip

1. Read \`trip://plan\` first: the stops in their order, each with \`place\` and \`nights\`.
2. To add a stop, call the tool \`add_stop\` with \`place\` and \`nights\`, once for each stop. It goes to the end. For a place that is there already, the nights are added to it.
3. To remove a stop, call \`remove_stop\` with its \`place\`. The page asks the user first. If they say no, leave it.
4. If the user has not said which place, propose one with \`propose_stop\` instead of adding it: the page shows it, and they accept or refuse it there. The call may become a task that ends with their decision.
5. Read the plan again after a change, and tell the user the stops and the sum of nights.

The prompt \`pack\` asks for a packing list for a season. Do not invent bookings, prices or times: the plan has none.
`

export function serveSkill(mcp: PageMcp): void {
  offerSkill(mcp, 'trip', { name: 'plan-a-trip', description }, instructions, 'trip://plan')
}
