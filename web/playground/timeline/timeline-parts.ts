/** The views of the timeline besides the list: one chunk. */

export { Sequence } from './sequence.tsx'
export { Waterfall } from './waterfall.tsx'
export { Wire } from './wire.tsx'
