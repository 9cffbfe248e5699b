/** The skill that this page offers: how a model should use it. */

import type { PageMcp } from 'pagemcp'
import { offerSkill } from '../shared/skill.ts'

const description =
  'Reads the files that the user has put into the drop of this page. Use it for questions about "my file" or "the files that I dropped".'

const instructions = `
# Use dropped files

1. List the resources whose URIs begin with \`drop:///\`: names, sizes and dates.
2. Read a file by its own URI, such as \`drop:///recipe.md\`. Text comes as text, other files as bytes with their type.
3. Look at the size first. Read large files only if the user asks for them, and say so if one is too large to be read.
4. Name the file with each answer.

You cannot change or delete files. A file that the user replaces is announced: read it again before you quote it.
`

export function serveSkill(mcp: PageMcp): void {
  offerSkill(
    mcp,
    'drop',
    { name: 'use-dropped-files', description },
    instructions,
    'drop:///recipe.md',
  )
}
