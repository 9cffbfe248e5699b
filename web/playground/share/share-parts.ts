/** Links, files and the dialog to share: one chunk. */

export { chooseFile } from './choose-file.ts'
export { copyConversation } from './conversation.ts'
export { copyLink } from './copy-link.ts'
export { exportTranscript, importFiles } from './files.ts'
export { receiveLinks } from './receive.ts'
export { Share } from './share.tsx'
