/** @jsxImportSource preact */
/** The sequence diagram of the live messages over the whole page. */

import { t } from '../base/i18n.ts'
import { Sequence } from '../timeline/sequence.tsx'
import { fullScreen, useKeys } from './present-keys.ts'
import { endScenario } from './running.ts'

export function Live() {
  useKeys({ Escape: endScenario, F: fullScreen })
  return (
    <main class="present">
      <header>
        <h1>{t('lessons.live')}</h1>
        <button type="button" class="ghost" aria-keyshortcuts="F" onClick={fullScreen}>
          {t('lessons.fullScreen')} <kbd>F</kbd>
        </button>
        <button type="button" class="ghost" aria-keyshortcuts="Escape" onClick={endScenario}>
          {t('lessons.leave')} <kbd>Esc</kbd>
        </button>
      </header>
      <div class="present-diagram">
        <Sequence large />
      </div>
    </main>
  )
}
