/** @jsxImportSource preact */
/** The filters of the requests: what occurs in the entries, and a text. */

import type { Signal } from '@preact/signals'
import { t } from '../base/i18n.ts'
import type { AuditEntry } from '../connections/audit-log.ts'
import { appOf, assistantOf, type Selection } from './model.ts'
import { appText, assistantText } from './tables.tsx'

interface FiltersProps {
  entries: readonly AuditEntry[]
  selection: Signal<Selection>
}

export function Filters({ entries, selection }: FiltersProps) {
  const set = (part: Partial<Selection>) => {
    selection.value = { ...selection.value, ...part }
  }
  const { assistant, app, right, decision, text } = selection.value
  const names = (of: (entry: AuditEntry) => string, selected: string) =>
    [...new Set(entries.map(of)).add(selected)].filter((one) => one !== '').sort()
  return (
    <div class="audit-filters">
      <Choice
        name="assistant"
        label={t('connections.reads.by')}
        value={assistant}
        options={names(assistantOf, assistant).map((one) => [one, assistantText(one)])}
        set={set}
      />
      <Choice
        name="app"
        label={t('audit.page')}
        value={app}
        options={names(appOf, app).map((one) => [one, appText(one)])}
        set={set}
      />
      <Choice
        name="right"
        label={t('audit.right')}
        value={right}
        options={['read', 'act'].map((one) => [one, one])}
        set={set}
      />
      <Choice
        name="decision"
        label={t('audit.decision')}
        value={decision}
        options={[
          ['allowed', t('audit.allowed')],
          ['denied', t('audit.denied')],
        ]}
        set={set}
      />
      <label>
        {t('timeline.filter')}
        <input
          type="search"
          name="text"
          autocomplete="off"
          spellcheck={false}
          value={text}
          onInput={({ currentTarget: { value } }) => set({ text: value })}
        />
      </label>
    </div>
  )
}

interface ChoiceProps {
  name: keyof Selection
  label: string
  value: string
  /** Value and text. */
  options: readonly (readonly [string, string])[]
  set(part: Partial<Selection>): void
}

function Choice({ name, label, value, options, set }: ChoiceProps) {
  return (
    <label>
      {label}
      <select
        name={name}
        value={value}
        onChange={({ currentTarget }) => set({ [name]: currentTarget.value })}
      >
        <option value="">{t('audit.all')}</option>
        {options.map(([one, text]) => (
          <option key={one} value={one}>
            {text}
          </option>
        ))}
      </select>
    </label>
  )
}
