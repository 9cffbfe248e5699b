/** @jsxImportSource preact */
/**
 * Shows a page of the gateway in the dock beside the presentation, and monitors it. Nothing is connected or opened before
 * a click here: an address only names the page.
 */

import { effect, type Signal, useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { t } from '../base/i18n.ts'
import { Menu } from '../base/menu.tsx'
import { part } from '../base/part.ts'
import { connect, sessions } from './clients.ts'
import { hostNeedingConsent } from './consent.ts'
import {
  gatewayState,
  type JoinedPage,
  monitorStatus,
  onMonitoredMessage,
  startMonitoring,
} from './gateway.ts'
import { Invite } from './gateway-panel.tsx'
import { monitorPage, tabOf } from './monitor.ts'
import { asked } from './watch-page.ts'

/** The addresses in frames, until their frames are closed. */
const framed = new Set<string>()

export function LivePages() {
  const wanted = useSignal('') // the page to show as soon as the gateway says where it is
  useEffect(
    () =>
      effect(() => {
        const page = gatewayState.value?.pages.find(({ name }) => name === wanted.value)
        if (!page) return
        wanted.value = ''
        present(page)
      }),
    [],
  )
  const page = asked.value
  return (
    <>
      {page === undefined ? (
        <Menu label={t('lessons.showPage')}>
          {(close) => <Pages wanted={wanted} close={close} />}
        </Menu>
      ) : (
        <button
          type="button"
          class="primary"
          data-live={page}
          onClick={() => {
            asked.value = undefined
            wanted.value = page
            void startMonitoring()
          }}
        >
          {t('lessons.showPage')}: {page}
        </button>
      )}
      {wanted.value ? <Status /> : null}
    </>
  )
}

function Pages({ wanted, close }: { wanted: Signal<string>; close(): void }) {
  useEffect(() => void startMonitoring(), [])
  const pages = gatewayState.value?.pages.filter(({ here }) => here)
  if (!pages?.length) return <Status />
  return (
    <>
      {pages.map(({ name, title }) => (
        <button
          key={name}
          type="button"
          data-live={name}
          onClick={() => {
            close()
            wanted.value = name
          }}
        >
          {title || name}
        </button>
      ))}
    </>
  )
}

/** Why there is no page yet, and what to do. */
function Status() {
  const { value: how } = monitorStatus
  const state = gatewayState.value ? 'none' : 'connecting'
  return (
    <div class="live-status">
      {how.is === 'failed' ? (
        <Invite {...how} />
      ) : (
        <p role="status">{t(`connections.gateway.${state}`)}</p>
      )}
    </div>
  )
}

/** Monitors a page, in all its tabs: that in the frame is one more. */
function present(page: JoinedPage): void {
  const { name } = page
  if (!sessions.peek().some(({ connection }) => connection.dialer.monitors?.page === name))
    monitorPage(name, (dialer) => connect(dialer), {
      startMonitoring,
      onMonitoredMessage: (listener) =>
        onMonitoredMessage((message) =>
          listener({ ...message, page: tabOf(gatewayState.peek(), message.page, name) }),
        ),
    })
  void frame(page)
}

/** A page of a host that the user has not confirmed is not loaded; its messages are shown. */
async function frame({ url, origin }: JoinedPage): Promise<void> {
  if (!url.startsWith(`${origin}/`) || hostNeedingConsent(url) || framed.has(url)) return
  framed.add(url)
  const { openFrame } = await part(import('./frames.tsx'))
  await (await openFrame(url)).gone
  framed.delete(url)
}
