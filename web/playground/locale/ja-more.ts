import { apps } from '../apps/texts/ja.ts'
import { answers } from '../compose/answer-texts/ja.ts'
import { conformance } from '../conformance/texts/ja.ts'
import { connections } from '../connections/texts/ja.ts'
import { demo } from '../demo/texts/ja.ts'
import { explore } from '../explore/texts/ja.ts'
import { inspect } from '../inspect/texts/ja.ts'
import { lessons } from '../lessons/texts/ja.ts'
import { explain } from '../protocol/texts/ja.ts'
import { share } from '../share/texts/ja.ts'
import { yourPage } from '../your-page/texts/ja.ts'
import type { More } from './texts.ts'

export { first } from './ja.ts'

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
