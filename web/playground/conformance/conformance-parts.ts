/** The dialogs of this directory: one chunk. */

export { Conformance } from './conformance.tsx'
export { MalformedSet } from './malformed-set.tsx'
