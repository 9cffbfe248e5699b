/** @jsxImportSource preact */
/** What a page needs to join: the command of the gateway, and code for its framework. */

import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { actions } from '../base/actions.ts'
import { t } from '../base/i18n.ts'
import { parseSnippets, type Snippet } from './snippets.ts'

async function load(): Promise<Snippet[]> {
  const response = await fetch(new URL('connections/snippets.txtar', document.baseURI))
  if (!response.ok) throw new Error(`snippets.txtar: status ${response.status}`)
  return parseSnippets(await response.text())
}

export function AddPage() {
  const snippets = useSignal<readonly Snippet[]>([])
  const chosen = useSignal(0)
  useEffect(() => {
    load().then(
      (loaded) => {
        snippets.value = loaded
      },
      (error: unknown) => actions.announce(t('base.failedToLoad', { reason: String(error) })),
    )
  }, [])
  return (
    <details class="connections-add">
      <summary>{t('connections.gateway.add')}</summary>
      <pre class="code-block" lang="en" translate={false}>
        pagemcp dev --allow-origin http://localhost:5173
      </pre>
      <select
        aria-label={t('connections.gateway.add')}
        value={chosen.value}
        onChange={({ currentTarget: { selectedIndex } }) => {
          chosen.value = selectedIndex
        }}
      >
        {snippets.value.map(({ framework }, i) => (
          <option key={framework} value={i}>
            {framework}
          </option>
        ))}
      </select>
      <pre class="code-block" lang="en" translate={false}>
        {snippets.value[chosen.value]?.code}
      </pre>
    </details>
  )
}
