/** @jsxImportSource preact */
/**
 * Forms for what a server requests of its client: elicitation, sampling and roots. What the server sends is shown
 * as text.
 */

import { useSignal } from '@preact/signals'
import { t } from '../base/i18n.ts'
import type { Session } from '../connections/session.ts'
import type { Params } from '../protocol/revisions.ts'
import { type FormProps, Refuse, Request } from './answer-parts.tsx'
import { Elicitation } from './elicitation.tsx'
import type { Ask } from './retry.ts'
import { Roots } from './roots.tsx'
import { Sampling } from './sampling.tsx'

/** Forms shown at a time; the next follow. */
const maxForms = 5

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

/** Another request: an empty result, or an error. The editor writes others. */
const Other = ({ params, give, refuse }: FormProps) => (
  <div class="answer">
    <p class="toolbar">
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
