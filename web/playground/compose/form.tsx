/** @jsxImportSource preact */
/** The form: fields that are read from the text and written into it at once. */

import { t } from '../base/i18n.ts'
import { drafts } from '../connections/clients.ts'
import { type FormField, fieldsOf, setAt } from './form-fields.ts'
import { SchemaField } from './schema-field.tsx'
import { jsonOf } from './schema-fields.ts'
import { serverContext } from './server-context.ts'

export function Form() {
  const { text } = drafts.value.open.value
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

const rows = (fields: readonly FormField[]) =>
  fields.map((field) => <Row key={field.path.join('/')} field={field} />)

function Advanced({ fields }: { fields: readonly FormField[] }) {
  return fields.length === 0 ? null : (
    <details open={fields.some(({ there }) => there)}>
      <summary>{t('compose.advanced')}</summary>
      {rows(fields)}
    </details>
  )
}

function Row({ field }: { field: FormField }) {
  const { name, path, value, suggestions, fields } = field
  if (fields) {
    return (
      <fieldset>
        <legend>
          <code lang="en" translate={false}>
            {name}
          </code>
        </legend>
        {rows(fields)}
      </fieldset>
    )
  }
  return (
    <SchemaField
      field={field}
      value={value}
      put={(input) =>
        drafts.peek().replace(setAt(drafts.peek().open.peek().text, path, jsonOf(field, input)))
      }
      suggest={suggestions.length > 0 ? suggestions : undefined}
      loose
    />
  )
}
