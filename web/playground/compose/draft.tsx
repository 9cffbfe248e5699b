/** @jsxImportSource preact */
/** The text: a plain text area, until the editor is loaded and takes over text and caret. */

import { useEffect, useRef } from 'preact/hooks'
import { t } from '../base/i18n.ts'
import { loadWhenIdle } from '../base/idle.ts'
import { send } from './send.ts'
import { replacements, setTypedText, tab } from './tabs.ts'
import { editor } from './view.ts'

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
      replacements.subscribe(() => {
        editor.peek()?.set(tab.peek().text)
      }),
    [],
  )
  const there = editor.value !== undefined
  replacements.value // redraw after a change other than typing
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
        value={tab.peek().text}
        onInput={(event) => setTypedText(event.currentTarget.value)}
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
