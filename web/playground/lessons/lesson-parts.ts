/** Lessons and presentations: one chunk. */

export { startFromAddress } from './address.ts'
export { Assistant, RunningChat } from './assistant.tsx'
export { Lessons } from './lessons.tsx'
export { Present } from './present.tsx'
export { startReplay } from './replay.ts'
