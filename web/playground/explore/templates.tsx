/** @jsxImportSource preact */
/** Resource templates of the active server, each with a form for its variables. */

import { useSignal } from '@preact/signals'
import { t } from '../base/i18n.ts'
import { SchemaField } from '../compose/schema-field.tsx'
import { schemaField } from '../compose/schema-fields.ts'
import type { Template } from '../connections/catalogue.ts'
import type { Session } from '../connections/session.ts'
import { complete, send, write } from './actions.ts'
import { FormItem, Items } from './items.tsx'
import { fillTemplate, type Values } from './template.ts'

export const Templates = ({ session }: { session: Session }) => (
  <Items
    session={session}
    kind="templates"
    row={(template) => (
      <TemplateForm key={template.uriTemplate} template={template} session={session} />
    )}
  />
)

function TemplateForm({ template, session }: { template: Template; session: Session }) {
  const { uriTemplate, name, title } = template
  const filled = useSignal<Values>({})
  const { variables, partial, uri, needed, problem } = fillTemplate(uriTemplate, filled.value)
  return (
    <FormItem
      of={template}
      calledBy={uriTemplate}
      submit={() => uri !== undefined && send('resources/read', { uri })}
    >
      {variables.map((variable) => (
        <SchemaField
          key={variable.name}
          field={schemaField(
            variable.name,
            { type: 'string', ...(variable.many && { description: t('explore.commas') }) },
            !variable.optional,
          )}
          value={filled.value[variable.name] ?? ''}
          put={(value) => {
            filled.value = { ...filled.value, [variable.name]: String(value) }
          }}
          suggest={(typed) =>
            complete(
              { type: 'ref/resource', uri: uriTemplate },
              variable.name,
              typed,
              filled.peek(),
            )
          }
        />
      ))}
      <p aria-live="polite">
        <code lang="en" translate={false}>
          {partial}
        </code>{' '}
        {problem ? (
          <span class="chip" data-is="bad">
            {problem}
          </span>
        ) : null}
        {needed.length > 0 ? (
          <span class="chip" data-is="warn">
            {t('explore.needed', { names: needed.join(', ') })}
          </span>
        ) : null}
      </p>
      <p class="toolbar">
        <button type="submit" disabled={uri === undefined}>
          {t('explore.readShort')}
        </button>
        <button
          type="button"
          role="switch"
          aria-checked={uri !== undefined && session.isSubscribed(uri)}
          disabled={uri === undefined}
          onClick={() => {
            if (uri === undefined) return
            if (session.isSubscribed(uri)) session.unsubscribe(uri)
            else session.subscribe(uri)
          }}
        >
          {t('explore.subscribeShort')}
        </button>
        <button
          type="button"
          disabled={uri === undefined}
          onClick={() => uri !== undefined && write('resources/read', { uri }, title ?? name)}
        >
          {t('explore.write')}
        </button>
      </p>
    </FormItem>
  )
}
