/** What the shell needs after its first view: one chunk. */

export { listenForKeys } from '../base/keys.ts'
export { commands } from './all-commands.ts'
export { KeysHelp } from './keys-help.tsx'
export { registerServiceWorker } from './offline.ts'
export { Palette } from './palette.tsx'
