import type { Messages } from '../../app/i18n.ts'
import { app } from './app.ts'
import { compose } from './compose.ts'
import { connections } from './connections.ts'
import { explain } from './explain.ts'
import { explore } from './explore.ts'
import { inspect } from './inspect.ts'
import { lessons } from './lessons.ts'
import { share } from './share.ts'
import { timeline } from './timeline.ts'
import { world } from './world.ts'

export const messages: Messages = {
  app,
  compose,
  connections,
  explain,
  explore,
  inspect,
  lessons,
  share,
  timeline,
  world,
}
