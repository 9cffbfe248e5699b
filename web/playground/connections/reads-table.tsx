/** @jsxImportSource preact */
/** The reads of assistants since monitoring started, with hints at possible secrets. */

import { t, tag } from '../base/i18n.ts'
import { sizeText } from '../base/size.ts'
import { type ResourceReads, reads } from './reads.ts'

export function ReadsTable() {
  const all = [...reads.value.values()]
  return (
    <section class="connections-reads">
      <h3>{t('connections.reads.title')}</h3>
      {all.length === 0 ? <p>{t('connections.reads.none')}</p> : <Table all={all} />}
    </section>
  )
}

function Table({ all }: { all: readonly ResourceReads[] }) {
  const number = new Intl.NumberFormat(tag())
  return (
    <table>
      <thead>
        <tr>
          <th scope="col">{t('connections.reads.resource')}</th>
          <th scope="col">{t('connections.reads.reads')}</th>
          <th scope="col">{t('connections.reads.size')}</th>
          <th scope="col">{t('connections.reads.by')}</th>
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
            <td>{sizeText(bytes)}</td>
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
        ? t('connections.reads.secretNames', { names: names.join(', ') })
        : t('connections.reads.secretValue')}
    </p>
  )
}
