import { base } from '../base/texts/ja.ts'
import { compose } from '../compose/texts/ja.ts'
import { shell } from '../shell/texts/ja.ts'
import { timeline } from '../timeline/texts/ja.ts'
import type { First } from './texts.ts'

export const first: First = { base, compose, shell, timeline }
