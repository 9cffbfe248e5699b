/** @jsxImportSource preact */
/** The command palette: a combobox over the tables of commands. */

import { computed, useSignal } from '@preact/signals'
import { useLayoutEffect, useRef } from 'preact/hooks'
import type { Command } from '../base/commands.ts'
import type { DialogProps } from '../base/dialog-props.ts'
import { t } from '../base/i18n.ts'
import { keyLabel } from '../base/keys.ts'
import { change, settings } from '../base/settings.ts'
import { layout } from '../base/state.ts'
import { commands } from './all-commands.ts'
import { search } from './palette-search.ts'

/** The pane that had the focus when the palette was opened. */
let area = ''
computed(() => layout.value.dialog).subscribe((name) => {
  if (name === 'palette')
    area = document.activeElement?.closest<HTMLElement>('.pane')?.dataset.pane ?? ''
})

const titleOf = ({ title, params }: Command) => t(title, params)

export function Palette({ close }: DialogProps) {
  const wanted = useSignal('')
  const at = useSignal(0)
  const field = useRef<HTMLInputElement>(null)
  // Focused before the first paint: text typed before that would be lost. A dialog that opens later focuses its
  // first field by itself.
  useLayoutEffect(() => field.current?.focus(), [])
  const found = search(commands, wanted.value, { title: titleOf, used: settings.peek().used, area })
  const present = found[Math.min(at.value, found.length - 1)]
  const run = (command: Command | undefined) => {
    if (command === undefined || command.when?.() === false) return
    close()
    const { used } = settings.peek()
    change({ used: { ...used, [command.id]: (used[command.id] ?? 0) + 1 } })
    queueMicrotask(() => command.run()) // after the dialog has restored the focus
  }
  const key = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step !== undefined && found.length > 0) {
      event.preventDefault()
      at.value = (Math.min(at.value, found.length - 1) + step + found.length) % found.length
      document.getElementById(`command-${at.value}`)?.scrollIntoView({ block: 'nearest' })
    } else if (event.key === 'Enter' && !event.isComposing) {
      event.preventDefault()
      run(present)
    }
  }
  return (
    <>
      <input
        ref={field}
        role="combobox"
        aria-label={t('shell.palette')}
        aria-expanded="true"
        aria-controls="commands"
        aria-activedescendant={present ? `command-${found.indexOf(present)}` : undefined}
        aria-autocomplete="list"
        placeholder={t('shell.paletteHint')}
        value={wanted.value}
        onInput={({ currentTarget }) => {
          wanted.value = currentTarget.value
          at.value = 0
        }}
        onKeyDown={key}
      />
      {found.length === 0 ? (
        <p class="quiet" role="status">
          {t('shell.paletteNothing')}
        </p>
      ) : null}
      <div id="commands" role="listbox" aria-label={t('shell.palette')}>
        {found.map((command, i) => (
          // biome-ignore lint/a11y/useFocusableInteractive: see above
          // biome-ignore lint/a11y/useKeyWithClickEvents: the combobox handles the keys
          <div
            key={command.id}
            id={`command-${i}`}
            role="option"
            data-command={command.id}
            aria-selected={command === present}
            aria-disabled={command.when?.() === false}
            onClick={() => run(command)}
          >
            <span>{titleOf(command)}</span>
            {command.keys ? <kbd>{keyLabel(command.keys)}</kbd> : null}
          </div>
        ))}
      </div>
    </>
  )
}
