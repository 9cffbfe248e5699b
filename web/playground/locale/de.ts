import { base } from '../base/texts/de.ts'
import { compose } from '../compose/texts/de.ts'
import { shell } from '../shell/texts/de.ts'
import { timeline } from '../timeline/texts/de.ts'
import type { First } from './texts.ts'

export const first: First = { base, compose, shell, timeline }
