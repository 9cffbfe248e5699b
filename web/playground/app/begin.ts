/** What happens by itself when the page opens: language, colours, and a world that answers. */

import { inPage } from '../connections/in-page.ts'
import type { Session } from '../connections/session.ts'
import { announce } from './announce.tsx'
import { chosenLocale } from './bar.tsx'
import { preferredLocale, setLocale, t } from './i18n.ts'
import { ask, connect, resting } from './state.ts'
import { followTheme } from './theme.ts'

/**
 * Called once, when the shell stands. `<html data-ready>` says that the server has answered for the
 * first time. In the address, `?lang=` chooses a language and `?quiet` lets the world stand still, as
 * it does for people who want less motion.
 */
export function begin(): void {
  const asked = new URLSearchParams(location.search)
  const language = asked.get('lang') ?? chosenLocale.peek()
  setLocale(preferredLocale(language ? [language] : navigator.languages))
  followTheme()
  ask.announce = announce
  const quiet = asked.has('quiet') || matchMedia('(prefers-reduced-motion: reduce)').matches
  resting.value = quiet
  const session = demo()
  const stop = session.peer.subscribe((peer) => {
    if (peer === undefined) return
    document.documentElement.dataset.ready = ''
    queueMicrotask(() => stop())
    if (!quiet) import('../world/first.tsx').then(({ firstSeconds }) => firstSeconds(session))
  })
  // Keys come with the tables of commands, which nobody needs to see something.
  Promise.all([import('./keys.ts'), import('./all-commands.ts')]).then(
    ([{ hearKeys }, { commands }]) => hearKeys(commands),
  )
  import('../explore/catalogue.ts').then(({ catalogue }) => catalogue(session))
}

/**
 * Opens one more client of the demo. World and engine are far larger than the shell: what is sent before
 * they are there waits.
 */
export function demo(): Session {
  return connect(
    inPage(t('app.demo'), async (closed) => (await import('../world/world.ts')).worldPort(closed)),
  )
}
