/** Starts the playground: language, theme, keys, and the demo. */

import { effect } from '@preact/signals'
import { actions } from '../base/actions.ts'
import { preferredLocale, setLocale, t } from '../base/i18n.ts'
import { whenIdle } from '../base/idle.ts'
import { embedded } from '../base/settings.ts'
import { demoPaused } from '../base/state.ts'
import { followTheme } from '../base/theme.ts'
import { acceptInvitation } from '../connections/accept-invitation.ts'
import { active, connect } from '../connections/clients.ts'
import { inPage } from '../connections/in-page.ts'
import type { Session } from '../connections/session.ts'
import { chosenLocale } from './bar.tsx'
import { announce } from './toast.tsx'

/**
 * Called once, after the first render. `<html data-ready>` is set after the first response of the server. In
 * the address, `?lang=` chooses a language; `?quiet` stops automatic changes of the demo, as reduced motion
 * does, and stores nothing for offline use.
 */
export function start(): void {
  const asked = new URLSearchParams(location.search)
  const language = asked.get('lang') ?? chosenLocale.peek()
  setLocale(preferredLocale(language ? [language] : navigator.languages))
  followTheme()
  actions.announce = announce
  // Browsers open the file dialog for some seconds after the click: the module is loaded by then.
  actions.importFile = () =>
    import('../share/choose-file.ts').then(({ chooseFile }) => chooseFile())
  actions.replay = async (rows, title) =>
    (await import('../lessons/replay.ts')).startReplay(rows, title)
  const receive = async () => (await import('../share/receive.ts')).receiveLinksAndFiles()
  if (location.hash)
    receive() // a link is opened at once
  else whenIdle(receive)
  // The tables of commands are loaded later: the first view does not need them.
  Promise.all([import('../base/keys.ts'), import('./all-commands.ts')]).then(
    ([{ listenForKeys }, { commands }]) => listenForKeys(commands),
  )
  effect(() => {
    if (active.value?.peer.value) document.documentElement.dataset.ready = ''
  })
  if (embedded) {
    import('../connections/embedded.ts').then(({ acceptPorts }) => {
      if (acceptPorts().length === 0) announce(t('shell.embedWithoutOrigin'))
    })
    return
  }
  acceptInvitation()
  const quiet = asked.has('quiet') || matchMedia('(prefers-reduced-motion: reduce)').matches
  demoPaused.value = true // until the first subscription is shown; with `quiet`, for good
  const session = openDemo()
  if (!quiet) {
    const stop = session.peer.subscribe((peer) => {
      if (peer === undefined) return
      queueMicrotask(() => stop())
      import('../demo/first-subscription.tsx').then(({ showFirstSubscription }) =>
        showFirstSubscription(session),
      )
    })
  }
  if (asked.has('lesson') || asked.has('present')) {
    import('../lessons/address.ts').then(({ startFromAddress }) => startFromAddress(asked))
  }
  import('../connections/catalogue.ts').then(({ catalogue }) => catalogue(session))
  if (!quiet)
    whenIdle(() =>
      import('./offline.ts').then(({ registerServiceWorker }) => registerServiceWorker()),
    )
}

/** Opens another client of the demo. The engine is far larger than the shell: messages wait until it is loaded. */
export function openDemo(): Session {
  demoSession = connect(
    inPage(t('shell.demo'), async (closed) => (await import('../demo/demo.ts')).demoPort(closed)),
  )
  return demoSession
}

let demoSession: Session | undefined

/** Shows the introduction again, on the client of the demo. */
export async function replayIntroduction(): Promise<void> {
  const { introduce } = await import('../demo/first-subscription.tsx')
  const closed = demoSession?.connection.state.peek() === 'closed'
  await introduce(demoSession && !closed ? demoSession : openDemo())
}
