/** The skill that this page offers: how a model should use it. */

import type { PageMcp } from 'pagemcp'
import { offerSkill } from '../shared/skill.ts'

const description =
  'Reads the notes on the board, one for each open tab of this page. Use it for questions about what is on the board, on this tab, or on all tabs.'

const instructions = `
# Read the board

1. Read \`tab:///\` for the open tabs: \`active\` is the one that the user looked at last.
2. Read \`tab:///active/text\` for "this tab", or \`tab:///{id}/text\` with the \`id\` of another one.
3. For the whole board read all tabs that the list names, and group what belongs together. A note goes when its tab is closed.

You cannot write on the board. Give the user the text to paste.
`

export function serveSkill(mcp: PageMcp): void {
  offerSkill(mcp, 'board', { name: 'read-the-board', description }, instructions, 'tab:///')
}
