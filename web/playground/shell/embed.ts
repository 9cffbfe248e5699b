/** Starts an embedded playground: for ports of the embedding page, or for a scenario. */

import { actions } from '../base/actions.ts'
import { t } from '../base/i18n.ts'
import { part } from '../base/part.ts'
import { readOnly } from '../base/settings.ts'
import { show } from '../base/state.ts'
import { theme } from '../base/theme.ts'
import { acceptPorts } from '../connections/embedded.ts'

/** Each page has a policy for one of the two: `<html data-embed>` of embed.html and embed-scenario.html. */
export async function startEmbedded(asked: URLSearchParams): Promise<void> {
  parent.postMessage({ pagemcp: 'playground-loaded' }, '*') // for element.ts
  const { dataset } = document.documentElement
  theme.value = asked.get('theme') ?? theme.peek()
  if (readOnly) {
    dataset.readonly = ''
    show({ pane: 'explore' })
  }
  if (dataset.embed === 'scenario') {
    const { startFromAddress } = await part(import('../lessons/lesson-parts.ts'))
    return startFromAddress(asked)
  }
  if (acceptPorts().length === 0) actions.announce(t('shell.embedWithoutOrigin'))
}
