/** Commands that have a button in the bar. */

import { type Command, opens } from '../base/commands.ts'
import { embedded } from '../base/settings.ts'
import { dialog, front, pane, side } from '../base/state.ts'

export const barCommands: readonly Command[] = [
  {
    id: 'shell.gateway',
    title: 'shell.gateway',
    icon: 'eye',
    when: () => !embedded,
    isOn: () => front.value === 'gateway',
    run() {
      front.value = front.peek() === 'gateway' ? 'compose' : 'gateway'
      pane.value = 'compose'
    },
  },
  {
    id: 'shell.lessons',
    title: 'shell.lessons',
    icon: 'book',
    isOn: () => side.value === 'lessons',
    run: () => (side.value = side.peek() === 'lessons' ? 'explore' : 'lessons'),
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
    run: () => (dialog.value = 'palette'),
  },
]
