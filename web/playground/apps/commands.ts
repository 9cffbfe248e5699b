/** Commands of MCP Apps. */

import { actions } from '../base/actions.ts'
import type { Command } from '../base/commands.ts'
import { t } from '../base/i18n.ts'
import { part } from '../base/part.ts'
import { selected } from '../base/state.ts'
import { appOf } from './find.ts'

/** Opens the app of a message. */
export async function openAppOf(row: number | undefined): Promise<void> {
  const found = appOf(row)
  if (!found || row === undefined) return actions.announce(t('apps.none'))
  const { openApp } = await part(import('./panel.tsx'))
  await openApp(found, row)
}

export const appsCommands: readonly Command[] = [
  { id: 'apps.open', title: 'apps.open', run: () => void openAppOf(selected.peek()) },
]
