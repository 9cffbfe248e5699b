import type { More } from '../texts.ts'
import { answers } from './answers.ts'
import { apps } from './apps.ts'
import { conformance } from './conformance.ts'
import { connections } from './connections.ts'
import { demo } from './demo.ts'
import { explain } from './explain.ts'
import { explore } from './explore.ts'
import { inspect } from './inspect.ts'
import { lessons } from './lessons.ts'
import { share } from './share.ts'
import { yourPage } from './your-page.ts'

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
