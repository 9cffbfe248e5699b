/** English texts that are loaded before anything is drawn. The other languages have the type of the English texts. */

import { base } from './base.ts'
import { compose } from './compose.ts'
import { shell } from './shell.ts'
import { timeline } from './timeline.ts'

export const first = { base, compose, shell, timeline } as const
