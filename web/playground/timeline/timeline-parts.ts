/** The sequence diagram, and the help of the filter: one chunk. */

export { FilterExamples } from './filter-examples.tsx'
export { Sequence } from './sequence.tsx'
