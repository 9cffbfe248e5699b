import { apps } from '../apps/texts/de.ts'
import { answers } from '../compose/answer-texts/de.ts'
import { conformance } from '../conformance/texts/de.ts'
import { connections } from '../connections/texts/de.ts'
import { demo } from '../demo/texts/de.ts'
import { explore } from '../explore/texts/de.ts'
import { inspect } from '../inspect/texts/de.ts'
import { lessons } from '../lessons/texts/de.ts'
import { explain } from '../protocol/texts/de.ts'
import { share } from '../share/texts/de.ts'
import { yourPage } from '../your-page/texts/de.ts'
import type { More } from './texts.ts'

export { first } from './de.ts'

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
