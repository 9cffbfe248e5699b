/** @jsxImportSource preact */
/** Headers that the user adds. Their values are hidden while typed, and never stored. */

import type { Signal } from '@preact/signals'
import { t } from '../base/i18n.ts'

export interface HeaderRow {
  name: string
  value: string
}

/** The non-empty rows as pairs, or the error of the first invalid one. */
export function usableHeaders(rows: readonly HeaderRow[]): [string, string][] | string {
  const pairs: [string, string][] = []
  for (const { name, value } of rows) {
    if (name.trim() === '') continue
    try {
      new Headers([[name.trim(), value]])
    } catch {
      return t('connections.badHeader', { name })
    }
    pairs.push([name.trim(), value])
  }
  return pairs
}

export function HeaderRows({ rows }: { rows: Signal<readonly HeaderRow[]> }) {
  const change = (at: number, next: Partial<HeaderRow>) => {
    rows.value = rows.value.map((row, i) => (i === at ? { ...row, ...next } : row))
  }
  return (
    <fieldset class="stack">
      <legend>{t('connections.headers')}</legend>
      <p class="quiet">{t('connections.headersNote')}</p>
      {rows.value.map(({ name, value }, at) => (
        <div class="toolbar" key={at}>
          <input
            name="header-name"
            lang="en"
            autocomplete="off"
            spellcheck={false}
            aria-label={t('connections.headerName', { count: at + 1 })}
            value={name}
            onInput={({ currentTarget }) => change(at, { name: currentTarget.value })}
          />
          <input
            name="header-value"
            type="password"
            lang="en"
            autocomplete="off"
            aria-label={t('connections.headerValue', { count: at + 1 })}
            value={value}
            onInput={({ currentTarget }) => change(at, { value: currentTarget.value })}
          />
          <button
            type="button"
            onClick={() => {
              rows.value = rows.value.filter((_, i) => i !== at)
            }}
          >
            {t('connections.remove')}
          </button>
        </div>
      ))}
      <button
        type="button"
        onClick={() => {
          const name = rows.value.length === 0 ? 'Authorization' : ''
          rows.value = [...rows.value, { name, value: name && 'Bearer ' }]
        }}
      >
        {t('connections.addHeader')}
      </button>
    </fieldset>
  )
}
