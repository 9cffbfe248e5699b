/** Lessons, presentations and recordings: one chunk. */

export { startFromAddress } from './address.ts'
export { Assistant } from './assistant.tsx'
export { finishRecording, Lessons } from './lessons.tsx'
export { Present } from './present.tsx'
export { startRecording } from './recorder.ts'
export { startReplay } from './replay.ts'
export { showNotes } from './speaker-window.tsx'
