/** @jsxImportSource preact */
/** The choice of presentations. */

import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { t } from '../base/i18n.ts'
import { InlineCode } from '../base/inline-code.tsx'
import { presentingLive } from '../base/state.ts'
import { captionIn } from './caption.ts'
import { lessonIds, loadScenario, showIds } from './library.ts'
import { useKeys } from './present-keys.ts'
import { endScenario, startScenario } from './running.ts'
import type { Scenario } from './scenario.ts'

/** The list of presentations. */
export function Choice() {
  const scenarios = useSignal<readonly Scenario[]>([])
  const failure = useSignal('')
  useKeys({ Escape: endScenario })
  useEffect(() => {
    Promise.all([...showIds, ...lessonIds].map(loadScenario)).then(
      (loaded) => {
        scenarios.value = loaded
      },
      (error: unknown) => {
        failure.value = String(error instanceof Error ? error.message : error)
      },
    )
  }, [scenarios, failure])
  return (
    <main class="present present-choice">
      <header>
        <h1>{t('lessons.choose')}</h1>
        <button type="button" aria-keyshortcuts="Escape" onClick={endScenario}>
          {t('lessons.leave')} <kbd>Esc</kbd>
        </button>
      </header>
      {failure.value ? (
        <p role="alert">{t('base.failedToLoad', { reason: failure.value })}</p>
      ) : null}
      <ul>
        <li>
          <button type="button" data-present="" onClick={() => (presentingLive.value = true)}>
            <strong>{t('lessons.live')}</strong>
          </button>
        </li>
        {scenarios.value.map((scenario) => (
          <li key={scenario.id}>
            <button type="button" onClick={() => startScenario(scenario, { learner: false })}>
              <strong>{captionIn(scenario, 'title')}</strong>
              <span>
                <InlineCode text={captionIn(scenario, 'about')} />
              </span>
            </button>
          </li>
        ))}
      </ul>
    </main>
  )
}
