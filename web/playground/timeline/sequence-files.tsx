/** @jsxImportSource preact */
/** What is done with the diagram: present it, and export it as SVG and Mermaid. */

import { actions } from '../base/actions.ts'
import { t } from '../base/i18n.ts'
import { Icon } from '../base/icon.tsx'
import { saveFile } from '../base/save-file.ts'
import { layout, show } from '../base/state.ts'
import { clientName } from '../connections/names.ts'
import { store } from '../messages/log.ts'
import type { Bars } from './bars.ts'
import { diagramSvg, maxSvgMessages } from './diagram-svg.ts'
import { line } from './format.ts'
import { maxMermaidMessages, mermaid } from './mermaid.ts'
import { shown } from './view.ts'

/** The newest matching rows. */
function newest(most: number): number[] {
  const from = Math.max(0, shown.length - most)
  return Array.from({ length: shown.length - from }, (_, index) => shown.row(from + index))
}

export function SequenceFiles({ bars }: { bars: Bars }) {
  const client = t('timeline.client')
  return (
    <p class="sq-files toolbar">
      {layout.value.presenting ? null : (
        <button
          type="button"
          data-present="live"
          onClick={() => {
            show({ presenting: true })
          }}
        >
          <Icon name="play" /> {t('lessons.present')}
        </button>
      )}
      <button
        type="button"
        onClick={() =>
          saveFile(
            'sequence.svg',
            'image/svg+xml',
            diagramSvg(
              store,
              bars,
              newest(maxSvgMessages),
              clientName,
              (row) => line(store, row),
              client,
            ),
          )
        }
      >
        {t('timeline.saveSvg')}
      </button>
      <button
        type="button"
        onClick={async () => {
          const text = mermaid(store, newest(maxMermaidMessages), clientName, client)
          try {
            await navigator.clipboard.writeText(text)
            actions.announce(t('base.copied'))
          } catch {
            saveFile('sequence.mmd', 'text/plain', text) // no clipboard without https
          }
        }}
      >
        {t('timeline.copyMermaid')}
      </button>
    </p>
  )
}
