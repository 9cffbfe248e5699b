/** What the shell shows and needs right after its first view: one chunk. */

export { listenForKeys } from '../base/keys.ts'
export { catalogue } from '../connections/catalogue.ts'
export { Explore } from '../explore/explore.tsx'
export { Inspect } from '../inspect/inspect.tsx'
export { eventText } from '../timeline/event-text.ts'
export { commands } from './all-commands.ts'
export { KeysHelp } from './keys-help.tsx'
export { Palette } from './palette.tsx'
