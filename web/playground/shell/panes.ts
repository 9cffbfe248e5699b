/** The panes that are shown at once, but are not part of the first load: one chunk. */

export { catalogue } from '../connections/catalogue.ts'
export { Explore } from '../explore/explore.tsx'
export { Inspect } from '../inspect/inspect.tsx'
