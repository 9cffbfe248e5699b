/** All commands: the palette lists them, keys run them, and the help shows their keys. */

import { appsCommands } from '../apps/commands.ts'
import type { Command } from '../base/commands.ts'
import { composeCommands } from '../compose/commands.ts'
import { connectionsCommands } from '../connections/commands.ts'
import { inspectCommands } from '../inspect/commands.ts'
import { lessonsCommands } from '../lessons/commands.ts'
import { shareCommands } from '../share/commands.ts'
import { timelineCommands } from '../timeline/commands.ts'
import { appCommands } from './commands.ts'

export const commands: readonly Command[] = [
  ...composeCommands,
  ...inspectCommands,
  ...timelineCommands,
  ...shareCommands,
  ...lessonsCommands,
  ...connectionsCommands,
  ...appsCommands,
  ...appCommands,
]
