/** @jsxImportSource preact */
/** A JSON value as a foldable tree, at first without the members of `_meta`. Closed parts are not drawn. */

import { useSignal } from '@preact/signals'
import { t } from '../base/i18n.ts'

/** Members drawn at first, and with each "more". */
const page = 100

/** Longer texts are cut; Raw shows all. */
const maxLength = 2000 // UTF-16 code units

interface Props {
  value: unknown
  name?: string
  /** Number of levels open at first. */
  open?: number
}

export function Tree({ value, name, open = 3 }: Props) {
  const shown = useSignal(page)
  const opened = useSignal(open > 0 && name !== '_meta')
  const label = name === undefined ? null : <span class="tr-name">{name}: </span>
  if (typeof value !== 'object' || value === null) {
    return (
      <div class="tr-leaf">
        {label}
        <Leaf value={value} />
      </div>
    )
  }
  const list = Array.isArray(value)
  const members = list
    ? value.map((item, index): [string, unknown] => [String(index), item])
    : Object.entries(value)
  if (members.length === 0) {
    return (
      <div class="tr-leaf">
        {label}
        {list ? '[]' : '{}'}
      </div>
    )
  }
  return (
    <details
      class="tr"
      open={opened.value}
      onToggle={(event) => {
        opened.value = event.currentTarget.open
      }}
    >
      <summary>
        {label}
        <span class="tr-size">{list ? `[${members.length}]` : `{${members.length}}`}</span>
      </summary>
      {opened.value &&
        members
          .slice(0, shown.value)
          .map(([key, member]) => <Tree key={key} name={key} value={member} open={open - 1} />)}
      {opened.value && members.length > shown.value && (
        <button
          type="button"
          onClick={() => {
            shown.value += page
          }}
        >
          {t('inspect.more', { count: members.length - shown.value })}
        </button>
      )}
    </details>
  )
}

function Leaf({ value }: { value: unknown }) {
  if (typeof value !== 'string') return <span class={`tr-${typeof value}`}>{String(value)}</span>
  const cut = value.length > maxLength
  return (
    <span class="tr-string">
      {JSON.stringify(cut ? value.slice(0, maxLength) : value)}
      {cut && ` ${t('inspect.cut')}`}
    </span>
  )
}
