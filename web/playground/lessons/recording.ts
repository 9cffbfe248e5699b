/** Whether a recording runs: apart, for commands ask it before anything of lessons is loaded. */

import { type Signal, signal } from '@preact/signals'

/** The first row of the recording that runs; undefined: none. */
export const recordingFrom: Signal<number | undefined> = signal(undefined)
