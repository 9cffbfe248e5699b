import type { Messages } from '../texts.ts'
import { app } from './app.ts'
import { compose } from './compose.ts'
import { explore } from './explore.ts'
import { inspect } from './inspect.ts'
import { lessons } from './lessons.ts'
import { share } from './share.ts'
import { timeline } from './timeline.ts'
import { world } from './world.ts'

export const first: Omit<Messages, 'connections' | 'explain'> = {
  app,
  compose,
  explore,
  inspect,
  lessons,
  share,
  timeline,
  world,
}
