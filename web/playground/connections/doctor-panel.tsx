/** @jsxImportSource preact */
/** The findings of the diagnosis, with header lines to copy. */

import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { copyText } from '../base/copy-text.ts'
import { t } from '../base/i18n.ts'
import { examine, type Finding } from './doctor.ts'

const chips = { good: 'good', note: 'warn', bad: 'bad' } as const

interface Props {
  url: string
  headers: readonly (readonly [string, string])[]
}

/** Runs the diagnosis once, when it is first shown. */
export function DoctorPanel({ url, headers }: Props) {
  const found = useSignal<readonly Finding[]>([])
  const done = useSignal(false)
  useEffect(() => {
    let shown = true
    void (async () => {
      for await (const finding of examine(url, headers)) {
        if (!shown) return
        found.value = [...found.peek(), finding]
      }
      done.value = true
    })()
    return () => {
      shown = false
    }
  }, [])
  return (
    <section class="connections-doctor" data-url={url} data-done={done.value ? '' : undefined}>
      <h3>{done.value ? t('connections.findings') : t('connections.examining')}</h3>
      <ol class="stack" aria-live="polite">
        {found.value.map((finding) => (
          <Found key={finding.says} finding={finding} />
        ))}
      </ol>
    </section>
  )
}

function Found({ finding: { step, state, says, params, lines = [] } }: { finding: Finding }) {
  return (
    <li data-step={step} data-is={state}>
      <span class="chip" data-is={chips[state]}>
        {t(`connections.states.${state}`)}
      </span>{' '}
      <strong>{t(`connections.steps.${step}`)}</strong> {t(says, params)}
      {lines.length > 0 ? <Lines lines={lines} /> : null}
    </li>
  )
}

function Lines({ lines }: { lines: readonly string[] }) {
  return (
    <div>
      {t('connections.addLines')}
      <pre class="code-block" lang="en" translate={false}>
        {lines.join('\n')}
      </pre>
      <button type="button" onClick={() => copyText(lines.join('\n'))}>
        {t('connections.copy')}
      </button>
    </div>
  )
}
