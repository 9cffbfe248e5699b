/** @jsxImportSource preact */
/** Prompts of the active server, each with a form for its arguments. */

import { useSignal } from '@preact/signals'
import { t } from '../base/i18n.ts'
import { SchemaField } from '../compose/schema-field.tsx'
import { schemaField } from '../compose/schema-fields.ts'
import type { Prompt } from '../connections/catalogue.ts'
import type { Session } from '../connections/session.ts'
import { complete, send, write } from './actions.ts'
import { FormItem, Items } from './items.tsx'
import type { Values } from './template.ts'

export const Prompts = ({ session }: { session: Session }) => (
  <Items
    session={session}
    kind="prompts"
    row={(prompt) => <PromptForm key={prompt.name} prompt={prompt} />}
  />
)

function PromptForm({ prompt }: { prompt: Prompt }) {
  const { name, title, arguments: declared = [] } = prompt
  const filled = useSignal<Values>({})
  const given = Object.fromEntries(Object.entries(filled.value).filter(([, value]) => value !== ''))
  const params = { name, ...(Object.keys(given).length > 0 && { arguments: given }) }
  return (
    <FormItem of={prompt} calledBy={name} submit={() => send('prompts/get', params)}>
      {declared.map((argument) => (
        <SchemaField
          key={argument.name}
          field={schemaField(
            argument.name,
            { ...argument, type: 'string' },
            argument.required === true,
          )}
          value={filled.value[argument.name] ?? ''}
          put={(value) => {
            filled.value = { ...filled.value, [argument.name]: String(value) }
          }}
          suggest={(typed) =>
            complete({ type: 'ref/prompt', name }, argument.name, typed, filled.peek())
          }
        />
      ))}
      <p class="toolbar">
        <button type="submit">{t('explore.get')}</button>
        <button type="button" onClick={() => write('prompts/get', params, title ?? name)}>
          {t('explore.write')}
        </button>
      </p>
    </FormItem>
  )
}
