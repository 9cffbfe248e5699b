/** All commands there are: what the palette lists, the keys run, and the help shows. */

import { appCommands } from './app-commands.ts'
import type { Command } from './commands.ts'

export const commands: readonly Command[] = [...appCommands]
