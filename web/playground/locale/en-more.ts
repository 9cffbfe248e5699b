/** English texts that are loaded after the first view. The other languages have the type of the English texts. */

import { apps } from '../apps/texts/en.ts'
import { answers } from '../compose/answer-texts/en.ts'
import { conformance } from '../conformance/texts/en.ts'
import { connections } from '../connections/texts/en.ts'
import { demo } from '../demo/texts/en.ts'
import { explore } from '../explore/texts/en.ts'
import { inspect } from '../inspect/texts/en.ts'
import { lessons } from '../lessons/texts/en.ts'
import { explain } from '../protocol/texts/en.ts'
import { share } from '../share/texts/en.ts'
import { yourPage } from '../your-page/texts/en.ts'

export const more = {
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
} as const
