/** Puts the editor in the place of the text area, and keeps it in step with what is known. */

import { effect, untracked } from '@preact/signals'
import { locale, t } from '../base/i18n.ts'
import { type Editor, mount } from './editor.ts'
import { recall } from './history.ts'
import { send } from './send.ts'
import { serverContext } from './server-context.ts'
import { tab, written } from './tabs.ts'
import { problems } from './view.ts'

/** The caret stays where it is, and the focus, if it was there. */
export function attach(host: HTMLElement, area: HTMLTextAreaElement): Editor {
  const focused = document.activeElement === area
  const editor = mount(host, {
    text: tab.peek().text,
    selection: { from: area.selectionStart, to: area.selectionEnd },
    label: t('compose.message'),
    server: () => untracked(serverContext),
    written,
    problems: (count) => {
      problems.value = count
    },
    send: () => send(),
    recall: (step) => void recall(step),
  })
  const stop = effect(() => {
    serverContext()
    locale()
    untracked(() => editor.relint())
  })
  if (focused) requestAnimationFrame(() => editor.focus()) // shown by then
  return {
    ...editor,
    destroy() {
      stop()
      editor.destroy()
    },
  }
}
