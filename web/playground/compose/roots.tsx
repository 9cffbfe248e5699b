/** @jsxImportSource preact */
/** The form for the roots of a client. */

import { type Signal, signal } from '@preact/signals'
import { t } from '../base/i18n.ts'
import type { Session } from '../connections/session.ts'
import { type FormProps, Refuse, Request } from './answer-parts.tsx'

interface Root {
  uri: string
  name: string
}

/** The roots of each client, as they were given last. */
const rootsOf = new WeakMap<Session, Signal<readonly Root[]>>()

export function Roots({ params, session, give, refuse }: FormProps) {
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
        <p class="toolbar" key={index}>
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
      <p class="toolbar">
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
