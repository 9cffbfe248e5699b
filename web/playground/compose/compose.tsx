/** @jsxImportSource preact */
/** The composer: what is written here is sent as it stands. */

import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { t } from '../app/i18n.ts'
import { active, ask } from '../app/state.ts'

export function Compose() {
  const text = useSignal('{"jsonrpc":"2.0","id":1,"method":"resources/list","params":{}}')
  useEffect(() => {
    ask.compose = (next) => {
      text.value = next
    }
    ask.composed = () => text.value
    ask.send = () => active.value?.lane.send(text.value)
  }, [text])
  return (
    <textarea
      class="draft"
      aria-label={t('app.compose')}
      spellcheck={false}
      value={text.value}
      onInput={(event) => {
        text.value = event.currentTarget.value
      }}
    />
  )
}
