/** The views of the timeline besides the list, and its help: one chunk. */

export { FilterExamples } from './filter-examples.tsx'
export { Sequence } from './sequence.tsx'
export { Waterfall } from './waterfall.tsx'
export { Wire } from './wire.tsx'
