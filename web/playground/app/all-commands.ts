/** All commands there are: what the palette lists, the keys run, and the help shows. */

import { connectionsCommands } from '../connections/commands.ts'
import { lessonsCommands } from '../lessons/commands.ts'
import { timelineCommands } from '../timeline/commands.ts'
import { appCommands } from './app-commands.ts'
import type { Command } from './commands.ts'

export const commands: readonly Command[] = [
  ...timelineCommands,
  ...lessonsCommands,
  ...connectionsCommands,
  ...appCommands,
]
