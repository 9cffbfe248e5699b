/** Links, files and the dialog to share: one chunk. */

export { chooseFile } from './choose-file.ts'
export { copyConversation } from './conversation.ts'
export { copyLink } from './copy-link.ts'
export { exportTranscript } from './files.ts'
export { receiveLinksAndFiles } from './receive.ts'
export { Share } from './share.tsx'
