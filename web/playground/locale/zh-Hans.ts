import { base } from '../base/texts/zh-Hans.ts'
import { compose } from '../compose/texts/zh-Hans.ts'
import { shell } from '../shell/texts/zh-Hans.ts'
import { timeline } from '../timeline/texts/zh-Hans.ts'
import type { First } from './texts.ts'

export const first: First = { base, compose, shell, timeline }
