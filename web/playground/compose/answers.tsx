/** @jsxImportSource preact */
/**
 * Forms for what a server requests of its client: elicitation, sampling and roots. What the server sends is shown
 * as text. A page of a URL elicitation opens only by a click, which shows its host.
 */

import { type Signal, signal, useSignal } from '@preact/signals'
import type { InputHTMLAttributes } from 'preact'
import { useId, useMemo } from 'preact/hooks'
import { t } from '../base/i18n.ts'
import type { Session } from '../connections/session.ts'
import { pretty } from '../protocol/pretty.ts'
import type { Params } from '../protocol/revisions.ts'
import { type AnswerField, answerFields, contentOf, localTime } from './answer-fields.ts'
import type { Ask } from './retry.ts'

/** Longer texts are cut. */
const maxText = 5000 // UTF-16 code units

/** Forms shown at a time; the next follow. */
const maxForms = 5

/** Messages of a sampling request that are shown. */
const maxMessages = 20

export interface AnswersProps {
  asks: readonly Ask[]
  session: Session
  /** Called with a result for each key, when all are given. */
  done(results: Params): void
  /** Answers with an error; undefined: a result that needs input cannot be refused. */
  refuse?(): void
}

export function Answers({ asks, session, done, refuse }: AnswersProps) {
  const given = useSignal<ReadonlyMap<string, unknown>>(new Map())
  const give = (key: string, result: unknown) => {
    const next = new Map(given.peek()).set(key, result)
    if (next.size < asks.length) given.value = next
    else done(Object.fromEntries(next))
  }
  if (asks.length === 0) {
    return (
      <button type="button" onClick={() => done({})}>
        {t('inspect.resend')}
      </button>
    )
  }
  const open = asks.filter(({ key }) => !given.value.has(key)).slice(0, maxForms)
  return (
    <>
      {open.map((ask) => {
        const Form = forms[ask.method] ?? Other
        return (
          <Form
            key={ask.key}
            params={ask.params}
            session={session}
            give={(result) => give(ask.key, result)}
            refuse={refuse}
          />
        )
      })}
    </>
  )
}

interface FormProps {
  params: Params
  session: Session
  give(result: unknown): void
  refuse?(): void
}

const text = (value: unknown) => (typeof value === 'string' ? value.slice(0, maxText) : '')

/** All that the server sent, as JSON. */
function Request({ params }: { params: Params }) {
  const shown = useSignal('')
  return (
    <details
      class="answer-request"
      onToggle={() => {
        try {
          shown.value ||= pretty(params).slice(0, maxText)
        } catch {
          shown.value = '…' // nested too deep
        }
      }}
    >
      <summary>JSON</summary>
      <pre translate={false}>{shown.value}</pre>
    </details>
  )
}

const Refuse = ({ refuse }: { refuse?(): void }) =>
  refuse ? (
    <button type="button" class="ghost" onClick={refuse}>
      {t('compose.refuse')}
    </button>
  ) : null

function Elicitation({ params, give, refuse }: FormProps) {
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

/** The user answers as the model. */
function Sampling({ params, give, refuse }: FormProps) {
  const id = useId()
  const messages = Array.isArray(params.messages) ? params.messages : []
  return (
    <form
      class="answer"
      onSubmit={(event) => {
        event.preventDefault()
        const data = new FormData(event.currentTarget)
        give({
          role: 'assistant',
          content: { type: 'text', text: data.get('text') },
          model: data.get('model'),
          stopReason: data.get('stop'),
        })
      }}
    >
      {text(params.systemPrompt) && <p class="answer-message">{text(params.systemPrompt)}</p>}
      <dl class="answer-messages">
        {messages.slice(-maxMessages).map((one, index) => {
          const { role, content } = (one ?? {}) as { role?: unknown; content?: unknown }
          return (
            <div key={index}>
              <dt>{text(role)}</dt>
              <dd>{[content].flat().slice(0, maxMessages).map(said).join('\n')}</dd>
            </div>
          )
        })}
      </dl>
      <div class="answer-field">
        <label for={`${id}-text`}>{t('answers.text')}</label>
        <textarea id={`${id}-text`} name="text" rows={3} required />
      </div>
      <div class="answer-field">
        <label for={`${id}-model`}>{t('answers.model')}</label>
        <input id={`${id}-model`} name="model" required defaultValue="pagemcp-playground" />
      </div>
      <div class="answer-field">
        <label for={`${id}-stop`}>
          <code>stopReason</code>
        </label>
        <select id={`${id}-stop`} name="stop">
          {['endTurn', 'stopSequence', 'maxTokens'].map((one) => (
            <option key={one}>{one}</option>
          ))}
        </select>
      </div>
      <p class="answer-acts">
        <button type="submit">{t('compose.send')}</button>
        <Refuse refuse={refuse} />
      </p>
      <Request params={params} />
    </form>
  )
}

/** A part of a message: its text, or its type. */
const said = (part: unknown): string => {
  const { type, text: own } = (part ?? {}) as { type?: unknown; text?: unknown }
  return type === 'text' ? text(own) : `[${text(type)}]`
}

interface Root {
  uri: string
  name: string
}

/** The roots of each client, as they were given last. */
const rootsOf = new WeakMap<Session, Signal<readonly Root[]>>()

function Roots({ params, session, give, refuse }: FormProps) {
  const roots = rootsOf.get(session) ?? signal<readonly Root[]>([{ uri: 'file:///', name: '' }])
  rootsOf.set(session, roots)
  const set = (index: number, change: Partial<Root>) => {
    roots.value = roots.peek().map((one, at) => (at === index ? { ...one, ...change } : one))
  }
  return (
    <form
      class="answer"
      onSubmit={(event) => {
        event.preventDefault()
        give({
          roots: roots.peek().map(({ uri, name }) => ({ uri, ...(name && { name }) })),
        })
      }}
    >
      {roots.value.map(({ uri, name }, index) => (
        <p class="answer-acts" key={index}>
          <input
            aria-label={`uri ${index + 1}`}
            required
            pattern="file://.*"
            title="file://…"
            value={uri}
            onInput={(event) => set(index, { uri: event.currentTarget.value })}
          />
          <input
            aria-label={`name ${index + 1}`}
            placeholder="name"
            value={name}
            onInput={(event) => set(index, { name: event.currentTarget.value })}
          />
          <button
            type="button"
            class="ghost"
            onClick={() => {
              roots.value = roots.peek().filter((_, at) => at !== index)
            }}
          >
            {t('connections.remove')}
          </button>
        </p>
      ))}
      <p class="answer-acts">
        <button
          type="button"
          class="ghost"
          onClick={() => {
            roots.value = [...roots.peek(), { uri: 'file:///', name: '' }]
          }}
        >
          {t('answers.addRoot')}
        </button>
        <button type="submit">{t('compose.send')}</button>
        <Refuse refuse={refuse} />
      </p>
      <Request params={params} />
    </form>
  )
}

/** Another request: an empty result, or an error. The editor writes others. */
const Other = ({ params, give, refuse }: FormProps) => (
  <div class="answer">
    <p class="answer-acts">
      <button type="button" onClick={() => give({})}>
        {t('compose.send')} <code>{'{}'}</code>
      </button>
      <Refuse refuse={refuse} />
    </p>
    <Request params={params} />
  </div>
)

const forms: { readonly [method: string]: typeof Other | undefined } = Object.assign(
  Object.create(null),
  {
    'elicitation/create': Elicitation,
    'sampling/createMessage': Sampling,
    'roots/list': Roots,
  },
)
