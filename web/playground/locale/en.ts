/** English texts that are loaded before anything is drawn. The other languages have the type of the English texts. */

import { base } from '../base/texts/en.ts'
import { compose } from '../compose/texts/en.ts'
import { shell } from '../shell/texts/en.ts'
import { timeline } from '../timeline/texts/en.ts'

export const first = { base, compose, shell, timeline } as const
