/** Commands of MCP Apps. */

import { actions } from '../base/actions.ts'
import type { Command } from '../base/commands.ts'
import { t } from '../base/i18n.ts'
import { part } from '../base/part.ts'
import { selected, show } from '../base/state.ts'
import { tab } from '../inspect/view.ts'
import { appOf, openApp } from './find.ts'

/** Shows the app of a message in Inspect. It is opened unless it is open already. */
export async function showAppOf(row: number | undefined): Promise<void> {
  const found = appOf(row)
  if (!found || row === undefined) return actions.announce(t('apps.none'))
  if (openApp.peek()?.row !== row) {
    const { open } = await part(import('./panel.tsx'))
    await open(found, row)
  }
  if (openApp.peek()?.row !== row) return // it is none, or another was opened meanwhile
  selected.value = row
  show({ pane: 'inspect' })
  tab.value = 'app'
}

export const appsCommands: readonly Command[] = [
  { id: 'apps.open', title: 'apps.open', run: () => void showAppOf(selected.peek()) },
]
