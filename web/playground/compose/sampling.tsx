/** @jsxImportSource preact */
/** The form for sampling. */

import { useId } from 'preact/hooks'
import { t } from '../base/i18n.ts'
import { type FormProps, Refuse, Request, text } from './answer-parts.tsx'

/** Messages of a sampling request that are shown. */
const maxMessages = 20

/** The user answers as the model. */
export function Sampling({ params, give, refuse }: FormProps) {
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
      <div class="field">
        <label for={`${id}-text`}>{t('answers.text')}</label>
        <textarea id={`${id}-text`} name="text" rows={3} required />
      </div>
      <div class="field">
        <label for={`${id}-model`}>{t('answers.model')}</label>
        <input id={`${id}-model`} name="model" required defaultValue="pagemcp-playground" />
      </div>
      <div class="field">
        <label for={`${id}-stop`}>
          <code>stopReason</code>
        </label>
        <select id={`${id}-stop`} name="stop">
          {['endTurn', 'stopSequence', 'maxTokens'].map((one) => (
            <option key={one}>{one}</option>
          ))}
        </select>
      </div>
      <p class="toolbar">
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
