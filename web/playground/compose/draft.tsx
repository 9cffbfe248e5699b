/** @jsxImportSource preact */
/** The text: a plain text area, until the editor is loaded and takes over text and caret. */

import { effect, untracked } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { t } from '../base/i18n.ts'
import { loadWhenIdle } from '../base/idle.ts'
import { drafts } from '../connections/clients.ts'
import { send } from './send.ts'
import { editor } from './view.ts'

/** What reads it runs again with another draft, and after a change of its text other than typing. */
const shownDraft = () => void [drafts.value.replacements.value, drafts.value.shown.value]

export function Draft() {
  const area = useRef<HTMLTextAreaElement>(null)
  const host = useRef<HTMLDivElement>(null)
  useEffect(() => {
    let gone = false
    loadWhenIdle(
      () => import('./attach-editor.ts'),
      ({ attach }) => {
        if (gone || !host.current || !area.current) return
        editor.value = attach(host.current, area.current)
      },
    )
    return () => {
      gone = true
      editor.peek()?.destroy()
      editor.value = undefined
    }
  }, [])
  useEffect(
    () =>
      effect(() => {
        shownDraft()
        untracked(() => editor.peek()?.show(drafts.peek()))
      }),
    [],
  )
  const there = editor.value !== undefined
  shownDraft()
  return (
    <>
      <textarea
        ref={area}
        class="draft"
        hidden={there}
        aria-label={t('compose.message')}
        spellcheck={false}
        autocapitalize="off"
        translate={false}
        value={drafts.peek().open.peek().text}
        onInput={(event) => drafts.peek().type(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey) || event.isComposing)
            return
          event.preventDefault()
          send()
        }}
      />
      <div ref={host} class="editor" hidden={!there} />
    </>
  )
}
