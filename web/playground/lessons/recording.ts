/** Whether a recording runs: a module of its own, since commands need it before lessons are loaded. */

import { type Signal, signal } from '@preact/signals'

/** The first row of the recording that runs; undefined: none. */
export const recordingFrom: Signal<number | undefined> = signal(undefined)
