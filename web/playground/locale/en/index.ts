/**
 * English: the texts that the other languages are typed by. One file for each area. These are what is
 * needed first; more.ts has the others.
 */

import { app } from './app.ts'
import { compose } from './compose.ts'
import { timeline } from './timeline.ts'

export const first = {
  app,
  compose,
  timeline,
} as const
