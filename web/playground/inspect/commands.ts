/** Commands of Inspect. */

import type { Command } from '../base/commands.ts'
import { copyText } from '../base/copy-text.ts'
import { show } from '../base/state.ts'
import { readsOnly } from '../connections/consent.ts'
import { store } from '../messages/log.ts'
import { canCancel, cancel, canEdit, canResend, edit, resend, sentRow } from './actions.ts'
import { shownRow } from './shown-row.ts'
import { tab } from './view.ts'

const row = () => shownRow.peek() ?? -1

export const inspectCommands: readonly Command[] = [
  {
    id: 'inspect.diff',
    title: 'inspect.showDiff',
    keys: 'D',
    run() {
      tab.value = 'diff'
      show({ pane: 'inspect' })
    },
    when: () => row() >= 0 && store.kind(row()) === 'result',
  },
  {
    id: 'inspect.resend',
    title: 'inspect.resend',
    keys: 'R',
    run() {
      const sent = sentRow(row())
      if (sent === undefined) return
      if (readsOnly(store.raw(sent))) resend(sent)
      else edit(sent) // a key is pressed by mistake: the user sends what may write from the composer
    },
    when: () => row() >= 0 && canResend(row()),
  },
  {
    id: 'inspect.cancel',
    title: 'inspect.cancel',
    run: () => cancel(row()),
    when: () => row() >= 0 && canCancel(row()),
  },
  {
    id: 'inspect.edit',
    title: 'inspect.edit',
    keys: 'E',
    run: () => edit(row()),
    when: () => row() >= 0 && canEdit(row()),
  },
  {
    id: 'inspect.copyAs',
    title: 'inspect.copyAs',
    keys: 'Y',
    run() {
      show({ pane: 'inspect' })
      // On a narrow screen the pane is drawn with the next frame.
      requestAnimationFrame(() => {
        const button = document.getElementById('in-copy-as')
        button?.focus()
        button?.click()
      })
    },
    when: () => row() >= 0,
  },
  {
    id: 'inspect.copyRaw',
    title: 'inspect.copyRaw',
    run() {
      copyText(store.raw(row()))
    },
    when: () => row() >= 0,
  },
]
