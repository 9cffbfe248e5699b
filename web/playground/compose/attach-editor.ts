/** Replaces the text area by the editor, and keeps it up to date. */

import { effect, untracked } from '@preact/signals'
import { locale, t } from '../base/i18n.ts'
import { drafts } from '../connections/clients.ts'
import { type Editor, mount } from './editor.ts'
import { recall } from './history.ts'
import { send } from './send.ts'
import { serverContext } from './server-context.ts'
import { problems } from './view.ts'

/** The caret and the focus are kept. */
export function attach(host: HTMLElement, area: HTMLTextAreaElement): Editor {
  const focused = document.activeElement === area
  const editor = mount(host, {
    drafts: drafts.peek(),
    selection: { from: area.selectionStart, to: area.selectionEnd },
    label: t('compose.message'),
    server: () => untracked(serverContext),
    setTypedText: (text) => drafts.peek().type(text),
    problems: (count) => {
      problems.value = count
    },
    send: () => send(),
    recall,
  })
  const stop = effect(() => {
    serverContext()
    locale()
    untracked(() => editor.relint())
  })
  if (focused) {
    // At once, and not after the next drawing: no key goes elsewhere meanwhile.
    host.hidden = false
    area.hidden = true
    editor.focus()
  }
  return {
    ...editor,
    destroy() {
      stop()
      editor.destroy()
    },
  }
}
