/** @jsxImportSource preact */
/** Forms for elicitation. A page of a URL elicitation opens only by a click, which shows its host. */

import { useSignal } from '@preact/signals'
import { useMemo } from 'preact/hooks'
import { t } from '../base/i18n.ts'
import { type FormProps, Refuse, Request, text } from './answer-parts.tsx'
import { SchemaField } from './schema-field.tsx'
import { contentOf, type Input, inputOf, schemaFields } from './schema-fields.ts'

export function Elicitation({ params, give, refuse }: FormProps) {
  const fields = useMemo(() => schemaFields(params.requestedSchema), [params])
  const values = useSignal<readonly Input[]>(fields.map((field) => inputOf(field, field.initial)))
  const byUrl = params.mode === 'url'
  return (
    <form
      class="answer"
      onSubmit={(event) => {
        event.preventDefault()
        const content = contentOf(fields, (index) => values.peek()[index] ?? '')
        give({ action: 'accept', ...(!byUrl && { content }) })
      }}
    >
      <p class="answer-message">{text(params.message)}</p>
      {byUrl ? (
        <Visit url={text(params.url)} />
      ) : (
        fields.map((field, index) => (
          <SchemaField
            key={index}
            field={field}
            value={values.value[index] ?? ''}
            put={(value) => {
              values.value = values.peek().with(index, value)
            }}
          />
        ))
      )}
      <p class="toolbar">
        <button type="submit">{t('answers.accept')}</button>
        <button type="button" class="ghost" onClick={() => give({ action: 'decline' })}>
          {t('answers.decline')}
        </button>
        <button type="button" class="ghost" onClick={() => give({ action: 'cancel' })}>
          {t('compose.cancel')}
        </button>
        <Refuse refuse={refuse} />
      </p>
      <Request params={params} />
    </form>
  )
}

/** The address of a URL elicitation. Only web addresses become links. */
function Visit({ url }: { url: string }) {
  const found = URL.canParse(url) ? new URL(url) : undefined
  if (!found || !/^https?:$/.test(found.protocol) || found.username || found.password) {
    return <p role="alert">{t('answers.notWeb', { url })}</p>
  }
  return (
    <p>
      <a href={found.href} target="_blank" rel="noopener noreferrer">
        {t('answers.visit', { host: found.host })}
      </a>{' '}
      <code translate={false}>{found.href}</code>
    </p>
  )
}
