/** @jsxImportSource preact */
/** Explains a message: what it is, why it failed, and the checker's hints; with links to the specification. */

import { t } from '../base/i18n.ts'
import { InlineCode } from '../base/inline-code.tsx'
import { catalogue } from '../connections/catalogue.ts'
import { store } from '../messages/log.ts'
import { explainRow, type Known } from '../protocol/explain.ts'
import { hinted, hintsOf, revisionAt } from '../timeline/hints.ts'
import { sessionOf } from './actions.ts'
import { shownState } from './shown-row.ts'

/** The known state of the server of a row. */
function knownOf(row: number): Known {
  const session = sessionOf(row)
  if (!session) return {}
  const { resources, prompts, tools } = catalogue(session).lists
  return {
    uris: resources.value.items.map(({ uri }) => uri),
    names: [...prompts.value.items, ...tools.value.items].map(({ name }) => name),
    capabilities: session.peer.value?.capabilities,
  }
}

export function Explain({ row }: { row: number }) {
  hinted.value
  shownState.value
  const { sentences, links } = explainRow(store, row, revisionAt(row), knownOf(row))
  return (
    <>
      {sentences.map(({ key, params }, index) => (
        <p key={index}>
          <InlineCode text={t(key, params)} />
        </p>
      ))}
      {(hintsOf(row)?.length ?? 0) > 0 && (
        <ul class="in-hints">
          {hintsOf(row)?.map(({ severity, at, sentence }, index) => (
            <li key={index}>
              <span class="chip" data-is={severity === 'error' ? 'bad' : 'warn'}>
                {at || '/'}
              </span>{' '}
              {t(sentence.key, sentence.params)}
            </li>
          ))}
        </ul>
      )}
      {links.length > 0 && (
        <ul class="in-links">
          {links.map(({ title, url }) => (
            <li key={url}>
              <a href={url} target="_blank" rel="noreferrer">
                {title}
              </a>
            </li>
          ))}
        </ul>
      )}
    </>
  )
}
