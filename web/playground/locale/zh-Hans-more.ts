import { apps } from '../apps/texts/zh-Hans.ts'
import { answers } from '../compose/answer-texts/zh-Hans.ts'
import { conformance } from '../conformance/texts/zh-Hans.ts'
import { connections } from '../connections/texts/zh-Hans.ts'
import { demo } from '../demo/texts/zh-Hans.ts'
import { explore } from '../explore/texts/zh-Hans.ts'
import { inspect } from '../inspect/texts/zh-Hans.ts'
import { lessons } from '../lessons/texts/zh-Hans.ts'
import { explain } from '../protocol/texts/zh-Hans.ts'
import { share } from '../share/texts/zh-Hans.ts'
import { yourPage } from '../your-page/texts/zh-Hans.ts'
import type { More } from './texts.ts'

export { first } from './zh-Hans.ts'

export const more: More = {
  answers,
  apps,
  conformance,
  connections,
  demo,
  explain,
  explore,
  inspect,
  lessons,
  share,
  yourPage,
}
