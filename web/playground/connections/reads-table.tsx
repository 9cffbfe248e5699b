/** @jsxImportSource preact */
/** What assistants have seen since the playground looks on, and what they perhaps should not have. */

import { t, tag } from '../base/i18n.ts'
import { type Seen, seen } from './reads.ts'
import { bytesText } from './sizes.ts'

export function SeenTable() {
  const all = [...seen.value.values()]
  return (
    <section class="connections-seen">
      <h3>{t('connections.seen.title')}</h3>
      {all.length === 0 ? <p>{t('connections.seen.none')}</p> : <Table all={all} />}
    </section>
  )
}

function Table({ all }: { all: readonly Seen[] }) {
  const number = new Intl.NumberFormat(tag())
  return (
    <table>
      <thead>
        <tr>
          <th scope="col">{t('connections.seen.resource')}</th>
          <th scope="col">{t('connections.seen.reads')}</th>
          <th scope="col">{t('connections.seen.size')}</th>
          <th scope="col">{t('connections.seen.by')}</th>
        </tr>
      </thead>
      <tbody>
        {all.map(({ uri, reads, bytes, assistants, secrets }) => (
          <tr key={uri}>
            <th scope="row">
              <code lang="en" translate={false}>
                {uri}
              </code>
              {secrets.length > 0 ? <Hint secrets={secrets} /> : null}
            </th>
            <td>{number.format(reads)}</td>
            <td>{bytesText(bytes)}</td>
            <td>{assistants.join(', ')}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

function Hint({ secrets }: { secrets: readonly string[] }) {
  const names = secrets.filter((one) => one !== '')
  return (
    <p class="connections-hint">
      {names.length > 0
        ? t('connections.seen.secretNames', { names: names.join(', ') })
        : t('connections.seen.secretValue')}
    </p>
  )
}
