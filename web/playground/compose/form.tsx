/** @jsxImportSource preact */
/** The form: fields that are read from the text and written into it at once. */

import { t } from '../base/i18n.ts'
import { type Field, fieldsOf, jsonOf, setAt } from './form-fields.ts'
import { serverContext } from './server-context.ts'
import { replaceText, tab } from './tabs.ts'

export function Form() {
  const { text } = tab.value
  const fields = fieldsOf(text, serverContext())
  if (!fields) return <p class="compose-form quiet">{t('compose.noForm')}</p>
  return (
    <form class="compose-form" onSubmit={(event) => event.preventDefault()}>
      {fields.length === 0 ? (
        <p class="quiet">{t('compose.noFields')}</p>
      ) : (
        <>
          {rows(fields.filter((field) => !ofRetries.includes(field.name)))}
          <Advanced fields={fields.filter((field) => ofRetries.includes(field.name))} />
        </>
      )}
    </form>
  )
}

/** Members of a request that is sent again with input (2026-07-28): the playground writes them itself. */
const ofRetries: readonly string[] = ['inputResponses', 'requestState']

const rows = (fields: readonly Field[]) =>
  fields.map((field) => <Row key={field.path.join('/')} field={field} />)

function Advanced({ fields }: { fields: readonly Field[] }) {
  return fields.length === 0 ? null : (
    <details open={fields.some(({ there }) => there)}>
      <summary>{t('compose.advanced')}</summary>
      {rows(fields)}
    </details>
  )
}

const set = (field: Field, json: string | undefined) =>
  replaceText(setAt(tab.peek().text, field.path, json))

function Row({ field }: { field: Field }) {
  const { name, required, doc, fields } = field
  const id = `field-${field.path.join('-')}`
  const heading = (
    <>
      <code lang="en" translate={false}>
        {name}
      </code>
      {required && <span class="quiet"> · {t('compose.required')}</span>}
    </>
  )
  if (fields) {
    return (
      <fieldset>
        <legend>{heading}</legend>
        {rows(fields)}
      </fieldset>
    )
  }
  return (
    <div class="compose-field">
      <label for={id}>{heading}</label>
      <Input field={field} id={id} />
      {doc && (
        <p class="quiet" lang="en" id={`${id}-doc`}>
          {doc}
        </p>
      )}
    </div>
  )
}

function Input({ field, id }: { field: Field; id: string }) {
  const { kind, value, choices = [], required, doc } = field
  const shared = { id, 'aria-describedby': doc ? `${id}-doc` : undefined }
  const put = (input: string) => set(field, jsonOf(field, input))
  if (kind === 'choice' || kind === 'yes') {
    const all = kind === 'yes' ? ['true', 'false'] : choices
    return (
      <select {...shared} value={value} onChange={(event) => put(event.currentTarget.value)}>
        {(!required || !all.includes(value)) && <option value="">–</option>}
        {all.map((one) => (
          <option key={one} value={one}>
            {one}
          </option>
        ))}
      </select>
    )
  }
  if (kind === 'json') {
    return (
      <textarea
        {...shared}
        rows={3}
        spellcheck={false}
        value={value}
        onChange={(event) => put(event.currentTarget.value)}
      />
    )
  }
  return (
    <>
      <input
        {...shared}
        type="text"
        inputMode={kind === 'number' ? 'decimal' : undefined}
        autocomplete="off"
        spellcheck={false}
        list={choices.length ? `${id}-list` : undefined}
        value={value}
        onInput={(event) => put(event.currentTarget.value)}
      />
      {choices.length > 0 && (
        <datalist id={`${id}-list`}>
          {choices.map((one) => (
            <option key={one} value={one} />
          ))}
        </datalist>
      )}
    </>
  )
}
