/** @jsxImportSource preact */
/** Forms for elicitation. A page of a URL elicitation opens only by a click, which shows its host. */

import type { InputHTMLAttributes } from 'preact'
import { useId, useMemo } from 'preact/hooks'
import { t } from '../base/i18n.ts'
import { type AnswerField, answerFields, contentOf, localTime } from './answer-fields.ts'
import { type FormProps, Refuse, Request, text } from './answer-parts.tsx'

export function Elicitation({ params, give, refuse }: FormProps) {
  const id = useId()
  const fields = useMemo(() => answerFields(params.requestedSchema), [params])
  const byUrl = params.mode === 'url'
  const values = (form: HTMLFormElement) => {
    const data = new FormData(form)
    return contentOf(fields, (index) => data.getAll(String(index)).map(String))
  }
  return (
    <form
      class="answer"
      onSubmit={(event) => {
        event.preventDefault()
        const form = event.currentTarget
        if (!checkChoices(form, fields)) return
        give({ action: 'accept', ...(!byUrl && { content: values(form) }) })
      }}
    >
      <p class="answer-message">{text(params.message)}</p>
      {byUrl ? (
        <Visit url={text(params.url)} />
      ) : (
        fields.map((field, index) => (
          <Field key={index} id={`${id}-${index}`} name={String(index)} field={field} />
        ))
      )}
      <p class="answer-acts">
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

/** Limits of the number of choices, which HTML has no attribute for. */
function checkChoices(form: HTMLFormElement, fields: readonly AnswerField[]): boolean {
  for (const [
    index,
    { kind, title, min = 0, max = Number.POSITIVE_INFINITY },
  ] of fields.entries()) {
    if (kind !== 'many') continue
    const boxes = [...form.querySelectorAll<HTMLInputElement>(`input[name="${index}"]`)]
    const count = boxes.filter(({ checked }) => checked).length
    const limit = `${min} … ${max === Number.POSITIVE_INFINITY ? '' : max}`
    const wrong = count < min || count > max
    boxes[0]?.setCustomValidity(wrong ? t('explain.hint.range', { member: title, limit }) : '')
    if (wrong) return form.reportValidity()
  }
  return true
}

function Field({ id, name, field }: { id: string; name: string; field: AnswerField }) {
  const { kind, title, about, required, choices, initial, input, min, max, whole } = field
  const shared = { id, name, 'aria-describedby': about ? `${id}-about` : undefined }
  const [first = ''] = initial
  const heading = (
    <>
      {title}
      {required && <span class="quiet"> · {t('compose.required')}</span>}
    </>
  )
  const doc = about && (
    <p class="quiet" id={`${id}-about`}>
      {about}
    </p>
  )
  if (kind === 'many') {
    return (
      <fieldset class="answer-field">
        <legend>{heading}</legend>
        {choices.map(({ value, title }) => (
          <label key={value}>
            <input
              type="checkbox"
              name={name}
              value={value}
              defaultChecked={initial.includes(value)}
              onChange={(event) => {
                const boxes = event.currentTarget.form?.elements.namedItem(name)
                const [box] = boxes instanceof RadioNodeList ? boxes : [boxes]
                if (box instanceof HTMLInputElement) box.setCustomValidity('')
              }}
            />{' '}
            {title}
          </label>
        ))}
        {doc}
      </fieldset>
    )
  }
  if (kind === 'yes') {
    return (
      <div class="answer-field">
        <label>
          <input type="checkbox" {...shared} defaultChecked={first === 'true'} /> {heading}
        </label>
        {doc}
      </div>
    )
  }
  return (
    <div class="answer-field">
      <label for={id}>{heading}</label>
      {kind === 'one' ? (
        <select {...shared} required={required}>
          {!choices.some(({ value }) => value === first) && <option value="">–</option>}
          {choices.map(({ value, title }) => (
            <option key={value} value={value} selected={value === first}>
              {title}
            </option>
          ))}
        </select>
      ) : kind === 'json' ? (
        <textarea {...shared} rows={2} required={required} defaultValue={first} />
      ) : (
        <input
          {...shared}
          {...({ type: input } as InputHTMLAttributes)}
          required={required}
          autocomplete="off"
          defaultValue={input === 'datetime-local' ? localTime(first) : first}
          {...(kind === 'number'
            ? { min, max, step: whole ? 1 : 'any' }
            : { minLength: min, maxLength: max })}
        />
      )}
      {doc}
    </div>
  )
}
