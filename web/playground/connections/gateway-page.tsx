/** @jsxImportSource preact */
/** What assistants read: the pages of the gateway and their traffic, in place of the composer. */

import { Head } from '../base/head.tsx'
import { t } from '../base/i18n.ts'
import { show } from '../base/state.ts'
import { GatewayPanel } from './gateway-panel.tsx'
import { asked, watch } from './watch-page.ts'

export function GatewayPage() {
  const close = () => {
    show({ front: 'compose' })
  }
  const page = asked.value
  return (
    <div class="front stack">
      <Head title={t('shell.gateway')} close={close} />
      <p class="quiet">{t('connections.about.gateway')}</p>
      {page === undefined ? (
        <GatewayPanel close={close} />
      ) : (
        <p>
          <button type="button" class="primary" data-watch={page} onClick={() => watch(page)}>
            {t('connections.gateway.monitorPage', { page })}
          </button>
        </p>
      )}
    </div>
  )
}
