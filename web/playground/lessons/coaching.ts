/** Shows the coach above the composer while a lesson runs. */

import { effect } from '@preact/signals'
import { coach } from '../base/state.ts'
import { Coach } from './coach.tsx'
import { isLearning } from './running.ts'

let begun = false

/** May be called several times. */
export function showCoach(): void {
  if (begun) return
  begun = true
  effect(() => {
    if (isLearning.value) coach.value = Coach
    else if (coach.peek() === Coach) coach.value = undefined
  })
}
