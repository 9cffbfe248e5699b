/** English texts of the first view, which is drawn before any other texts are loaded. */

import { en as base } from '../base/base.texts.ts'
import { en as compose } from '../compose/compose.texts.ts'
import { en as shell } from '../shell/shell.texts.ts'
import { en as timeline } from '../timeline/timeline.texts.ts'

export const first = { base, compose, shell, timeline }
