/** The command that opens *Try your page*. */

import { type Command, opens } from '../base/commands.ts'
import { embedded } from '../base/settings.ts'

export const yourPageCommands: readonly Command[] = [
  opens('yourPage', {
    id: 'yourPage.open',
    title: 'yourPage.title',
    when: () => !embedded,
    load: () => import('./your-page.tsx').then((one) => one.YourPage),
  }),
]
