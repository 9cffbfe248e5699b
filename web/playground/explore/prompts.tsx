/** @jsxImportSource preact */
/** Prompts of the active server, each with a form for its arguments. */

import { useSignal } from '@preact/signals'
import { t } from '../base/i18n.ts'
import type { Prompt } from '../connections/catalogue.ts'
import type { Session } from '../connections/session.ts'
import { send, write } from './actions.ts'
import { CompletedField } from './completed-field.tsx'
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
        <CompletedField
          key={argument.name}
          ref_={{ type: 'ref/prompt', name }}
          name={argument.name}
          label={argument.title ?? argument.name}
          hint={argument.description}
          required={argument.required === true}
          filled={filled.value}
          change={(value) => {
            filled.value = { ...filled.value, [argument.name]: value }
          }}
        />
      ))}
      <button type="submit">{t('explore.get')}</button>{' '}
      <button type="button" onClick={() => write('prompts/get', params, title ?? name)}>
        {t('explore.write')}
      </button>
    </FormItem>
  )
}
