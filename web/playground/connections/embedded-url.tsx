/** @jsxImportSource preact */
/** Connects an embedded playground to the server that the embedding page names, once the visitor clicks. */

import { render } from 'preact'
import { actions } from '../base/actions.ts'
import { t } from '../base/i18n.ts'
import { agree, hostNeedingConsent } from './consent.ts'
import { http } from './http.ts'
import { openConnection } from './open.ts'
import { webSocketDialer } from './websocket.ts'

const schemes = ['https:', 'http:', 'wss:', 'ws:']

/** Shows the address in a dialog. Nothing is sent before the visitor confirms. */
export function askToConnect(address: string): void {
  if (!URL.canParse(address) || !schemes.includes(new URL(address).protocol)) {
    actions.announce(
      t('connections.badUrl', { schemes: schemes.map((one) => `${one}//`).join(', ') }),
    )
    return
  }
  const { host, protocol } = new URL(address)
  const unknown = hostNeedingConsent(address) !== undefined
  const dialog = document.createElement('dialog')
  dialog.className = 'connect'
  const connect = () => {
    if (unknown) agree(host)
    dialog.close()
    openConnection(protocol.startsWith('ws') ? webSocketDialer(address) : http(address))
  }
  render(
    <div class="connections-ask">
      <p>
        <code lang="en" translate={false}>
          {address}
        </code>
      </p>
      {unknown ? <p>{t('connections.consent', { host })}</p> : null}
      <p class="row">
        <button type="button" class="primary" onClick={connect}>
          {t('connections.agree', { host })}
        </button>{' '}
        <button type="button" class="ghost" onClick={() => dialog.close()}>
          {t('connections.refuse')}
        </button>
      </p>
    </div>,
    dialog,
  )
  document.body.append(dialog)
  dialog.showModal()
}
