/** English texts that are not needed for the first look. */

import { connections } from './connections.ts'
import { explain } from './explain.ts'
import { explore } from './explore.ts'
import { inspect } from './inspect.ts'
import { lessons } from './lessons.ts'
import { share } from './share.ts'
import { world } from './world.ts'

export const more = {
  connections,
  explain,
  explore,
  inspect,
  lessons,
  share,
  world,
} as const
