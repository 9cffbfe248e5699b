/** The skill that this page offers: how a model should use it. */

import type { PageMcp } from 'pagemcp'
import { offerSkill } from '../shared/skill.ts'

const description =
  'Finds, quotes and sums up the notes that the user keeps in this browser. Use it for questions about what they have written down, and about the note that they are writing now.'

const instructions = `
# Find notes

1. Is the question about "this note", or about what the user is writing? Read \`notes://open\`, the note that is open, as Markdown.
2. Otherwise list the resources. Each \`idb:///notes-app/notes/n.…\` is one note, listed by its title. Read those whose titles fit, and no others.
3. Answer with the titles of the notes that you used.

The user checks a note off by its button; the event \`checked\` has its URI. If you are told to react to that, read the note, and answer shortly what is done and what is left.

Notes change while the user types: read a note again before you quote it, or subscribe to it. You cannot write notes. If the user wants a change, give them the text to paste.
`

export function serveSkill(mcp: PageMcp): void {
  offerSkill(mcp, 'notes', { name: 'find-notes', description }, instructions, 'notes://open')
}
