/** @jsxImportSource preact */
/** The list of keyboard shortcuts, from the tables of commands. */

import type { DialogProps } from '../base/dialog-props.ts'
import { Head } from '../base/head.tsx'
import { t } from '../base/i18n.ts'
import { keyLabel } from '../base/keys.ts'
import { change, settings } from '../base/settings.ts'
import { commands } from './all-commands.ts'

export function KeysHelp({ close }: DialogProps) {
  return (
    <>
      <Head title={t('shell.keys')} close={close} />
      <table>
        <thead>
          <tr>
            <th scope="col">{t('shell.keysWhat')}</th>
            <th scope="col">{t('shell.keysKey')}</th>
          </tr>
        </thead>
        <tbody>
          {commands.map((command) =>
            command.keys ? (
              <tr key={command.id}>
                <td>{t(command.title, command.params)}</td>
                <td>
                  <kbd>{keyLabel(command.keys)}</kbd>
                </td>
              </tr>
            ) : null,
          )}
        </tbody>
      </table>
      <p>
        <label>
          <input
            type="checkbox"
            checked={settings.value.singleKeys}
            onChange={({ currentTarget }) => change({ singleKeys: currentTarget.checked })}
          />
          {t('shell.singleKeys')}
        </label>
      </p>
      <p class="quiet">{t('shell.tabHelp')}</p>
    </>
  )
}
