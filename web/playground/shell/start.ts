/** What happens by itself when the page opens: language, colours, and a world that answers. */

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
 * Called once, when the shell stands. `<html data-ready>` says that the server has answered for the
 * first time. In the address, `?lang=` chooses a language and `?quiet` lets the world stand still, as
 * it does for people who want less motion, and keeps nothing for offline use.
 */
export function begin(): void {
  const asked = new URLSearchParams(location.search)
  const language = asked.get('lang') ?? chosenLocale.peek()
  setLocale(preferredLocale(language ? [language] : navigator.languages))
  followTheme()
  actions.announce = announce
  // Browsers open the file dialog for some seconds after the click: the module is loaded by then.
  actions.importFile = () =>
    import('../share/choose-file.ts').then(({ chooseFile }) => chooseFile())
  const receive = async () => (await import('../share/receive.ts')).receiveLinksAndFiles()
  if (location.hash)
    receive() // a link is opened at once
  else whenIdle(receive)
  // Keys come with the tables of commands, which nobody needs to see something.
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
  demoPaused.value = true // until there is somebody to be told, and for good if it is to be quiet
  const session = demo()
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
    import('../lessons/address.ts').then(({ beginFromAddress }) => beginFromAddress(asked))
  }
  import('../connections/catalogue.ts').then(({ catalogue }) => catalogue(session))
  if (!quiet) whenIdle(() => import('./offline.ts').then(({ keepForOffline }) => keepForOffline()))
}

/**
 * Opens one more client of the demo. World and engine are far larger than the shell: what is sent before
 * they are there waits.
 */
export function demo(): Session {
  return connect(
    inPage(t('shell.demo'), async (closed) => (await import('../demo/demo.ts')).demoPort(closed)),
  )
}
