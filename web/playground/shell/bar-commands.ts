/** Commands that have a button in the bar. */

import { type Command, opens } from '../base/commands.ts'
import { embedded } from '../base/settings.ts'
import { layout, show } from '../base/state.ts'

export const barCommands: readonly Command[] = [
  {
    id: 'shell.gateway',
    title: 'shell.gateway',
    icon: 'eye',
    when: () => !embedded,
    isOn: () => layout.value.front === 'gateway',
    run() {
      show({ front: layout.peek().front === 'gateway' ? 'compose' : 'gateway', pane: 'compose' })
    },
  },
  {
    id: 'shell.lessons',
    title: 'shell.lessons',
    icon: 'book',
    isOn: () => layout.value.side === 'lessons',
    run: () => show({ side: layout.peek().side === 'lessons' ? 'explore' : 'lessons' }),
  },
  opens('share', {
    id: 'shell.share',
    title: 'shell.share',
    icon: 'share',
    load: () => import('../share/share-parts.ts').then((one) => one.Share),
  }),
  {
    id: 'shell.palette',
    title: 'shell.palette',
    icon: 'search',
    keys: 'Mod+K',
    run: () => show({ dialog: 'palette' }),
  },
]
