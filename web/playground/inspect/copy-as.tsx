/** @jsxImportSource preact */
/** The menu of formats that a message can be copied as. */

import { useId } from 'preact/hooks'
import { copyText } from '../base/copy-text.ts'
import { t } from '../base/i18n.ts'
import { Icon } from '../base/icon.tsx'
import { clientName } from '../connections/names.ts'
import { store } from '../messages/log.ts'
import { copyAs, copyKinds } from '../share/copy-as.ts'
import { mermaid } from '../timeline/mermaid.ts'
import { sessionOf } from './actions.ts'

/** The row and its partner as a Mermaid diagram. */
function diagram(row: number): string {
  const rows = [row, store.partner(row)].filter((one) => one >= 0).sort((a, b) => a - b)
  return mermaid(store, rows, clientName, t('timeline.client'))
}

export function CopyAs({ row }: { row: number }) {
  const id = useId()
  const close = () => document.getElementById(id)?.hidePopover()
  return (
    <>
      <button id="in-copy-as" type="button" class="ghost" popovertarget={id}>
        <Icon name="copy" /> {t('inspect.copyAs')}
      </button>
      <div id={id} class="menu in-menu" popover="auto">
        {copyKinds
          .filter(({ enabled }) => enabled(store, row))
          .map(({ kind, title }) => (
            <button
              key={kind}
              type="button"
              class="item"
              onClick={() => {
                close()
                copyText(copyAs(kind, store, row, sessionOf(row)))
              }}
            >
              {t(title)}
            </button>
          ))}
        <button
          type="button"
          class="item"
          onClick={() => {
            close()
            copyText(diagram(row))
          }}
        >
          Mermaid
        </button>
      </div>
    </>
  )
}
