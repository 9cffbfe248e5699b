/** Commands of the composer. */

import { type Command, opens } from '../base/commands.ts'
import { show } from '../base/state.ts'
import { active, drafts } from '../connections/clients.ts'
import { withoutId } from '../protocol/json.ts'
import { recall } from './history.ts'
import { send, sendText } from './send.ts'
import { asForm, focusText } from './view.ts'

const mayBeSent = () => {
  const session = active.peek()
  return session !== undefined && !session.connection.dialer.readOnly
}

export const composeCommands: readonly Command[] = [
  {
    id: 'compose.send',
    title: 'compose.send',
    keys: 'Mod+Enter',
    run: () => void send(),
    when: mayBeSent,
  },
  {
    id: 'compose.sendNotification',
    title: 'compose.sendNotification',
    run: () => void sendText(withoutId(drafts.peek().open.peek().text)),
    when: mayBeSent,
  },
  {
    id: 'compose.older',
    title: 'compose.older',
    keys: 'Alt+ArrowUp',
    run: () => recall(1),
  },
  {
    id: 'compose.newer',
    title: 'compose.newer',
    keys: 'Alt+ArrowDown',
    run: () => recall(-1),
  },
  {
    id: 'compose.newTab',
    title: 'compose.newTab',
    run: () => {
      drafts.peek().add(drafts.peek().open.peek().text)
      show({ pane: 'compose' })
    },
  },
  {
    id: 'compose.closeTab',
    title: 'compose.closeTab',
    run: () => drafts.peek().close(drafts.peek().open.peek().id),
    when: () => drafts.peek().all.peek().length > 1,
  },
  {
    id: 'compose.form',
    title: 'compose.form',
    run: () => {
      asForm.value = !asForm.peek()
      show({ pane: 'compose' })
    },
  },
  opens('revisions', {
    id: 'compose.revisions',
    title: 'compose.revisions.title',
    load: () => import('./revisions.tsx').then((one) => one.Revisions),
  }),
  {
    id: 'compose.edit',
    title: 'compose.focus',
    run: () => {
      show({ pane: 'compose' })
      focusText()
    },
  },
]
