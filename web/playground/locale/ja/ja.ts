import type { First } from '../texts.ts'
import { base } from './base.ts'
import { compose } from './compose.ts'
import { shell } from './shell.ts'
import { timeline } from './timeline.ts'

export const first: First = { base, compose, shell, timeline }
