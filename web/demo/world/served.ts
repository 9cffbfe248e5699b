/** The world that this page serves. */

import data from './world.json'
import { worldOf } from './world.ts'

export const served = worldOf(data)
