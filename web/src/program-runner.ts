/** Calls exports of the present program, and lets its goroutines run afterwards. */

import type { Exports, Program } from './wasm.ts'
import { answers } from './wasm-numbers.ts'

export interface ProgramRunner {
  /** `undefined` while no program runs: after one has ended, until the next is attached. */
  program: Program | undefined
  /** Whether goroutines want to run after the present export. */
  goroutinesReady: boolean
  /**
   * Calls an export, lets goroutines run, and delivers what they recorded. Does nothing without a
   * program: the next one gets all state when it starts.
   *
   * @returns what the export returned
   */
  call(act: (exports: Exports, running: Program) => number | undefined): number | undefined
  /** Lets goroutines run until all wait, and delivers what they recorded. */
  pump(running: Program): void
}

/**
 * @param died - the program has exited; may be called more than once for the same one
 */
export function programRunner(died: () => void): ProgramRunner {
  const runner: ProgramRunner = {
    program: undefined,
    goroutinesReady: false,
    call(act) {
      const running = runner.program
      if (running === undefined) return undefined
      let answer: number | undefined
      try {
        answer = act(running.exports, running)
      } catch {
        answer = undefined
      }
      if (!answer || running.exited) died()
      else if (answer !== answers.idle || runner.goroutinesReady) runner.pump(running)
      return answer
    },
    pump(running) {
      runner.goroutinesReady = false
      running.pump()
    },
  }
  return runner
}
