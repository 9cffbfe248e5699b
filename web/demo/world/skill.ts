/** The skill that this page offers: how a model should use it. */

import type { PageMcp } from 'pagemcp'
import { offerSkill } from '../shared/skill.ts'

const description =
  'Reads a small sample project, its log and the weather, and notices when they change. Use it to try resources, templates and subscriptions.'

const instructions = `
# Watch the project

1. List the resources: files of a project, a log, a database schema, a picture of a screen, and the weather at a station.
2. \`file:///logs/app.log\` grows every 20 seconds, and \`weather://data/12345\` changes: subscribe to them instead of reading them again and again.
3. For the weather at another station, read \`weather://data/{station}\` with five digits. Other files are \`file:///{path}\`, with the paths that completion offers.
4. The list changes when a file is built or deleted: read the list again when that is announced.

All of it is made up. Do not present it as facts.
`

export function serveSkill(mcp: PageMcp): void {
  offerSkill(
    mcp,
    'world',
    { name: 'watch-the-project', description },
    instructions,
    'file:///logs/app.log',
  )
}
