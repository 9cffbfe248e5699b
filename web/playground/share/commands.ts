/** Commands of sharing. */

import type { Command } from '../base/commands.ts'
import { part } from '../base/part.ts'
import { store } from '../messages/log.ts'
import { chooseFile } from './choose-file.ts'

export const shareCommands: readonly Command[] = [
  {
    id: 'share.copyLink',
    title: 'share.copyLink',
    keys: 'Mod+S',
    run: async () => (await part(import('./share-parts.ts'))).copyLink(),
  },
  {
    id: 'share.copyConversation',
    title: 'share.copyConversation',
    run: async () => (await part(import('./share-parts.ts'))).copyConversation(),
    when: () => store.length > 0,
  },
  { id: 'share.import', title: 'share.import', run: chooseFile },
  {
    id: 'share.export',
    title: 'share.export',
    run: async () => (await part(import('./share-parts.ts'))).exportTranscript(),
    when: () => store.length > 0,
  },
]
