/** The skill that this page offers: how a model should use it. */

import type { PageMcp } from 'pagemcp'
import { offerSkill } from '../shared/skill.ts'

const description =
  'Answers questions about the article that the user is reading, and about the sentence that they have selected. Use it for "this article", "this table" or "what does this mean".'

const instructions = `
# Read along

1. Read \`page:///outline\` for the headings, then only the part that you need: \`page:///article/text\` is one section.
2. Is the question about "this", without more? Read \`page:///selection\`: the words that the user has selected. If it is empty, ask which passage they mean.
3. Quote the article word for word, with the heading of the section. Say so if the article does not answer the question.

Fields of the form have labels only. What the user types there, and their notes, are not served: do not ask for them.
`

export function serveSkill(mcp: PageMcp): void {
  offerSkill(mcp, 'reader', { name: 'read-along', description }, instructions, 'page:///outline')
}
