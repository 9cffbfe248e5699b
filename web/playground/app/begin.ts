/** What happens by itself when the page opens: language, colours, and a world that answers. */

import { inPage } from '../connections/in-page.ts'
import { announce } from './announce.tsx'
import { chosenLocale } from './bar.tsx'
import { preferredLocale, setLocale } from './i18n.ts'
import { ask, connect } from './state.ts'
import { followTheme } from './theme.ts'

/** Called once, when the shell stands. `<html data-ready>` says that the server has answered for the first time. */
export function begin(): void {
  const asked = new URLSearchParams(location.search).get('lang') ?? chosenLocale.peek()
  setLocale(preferredLocale(asked ? [asked] : navigator.languages))
  followTheme()
  ask.announce = announce
  // The world and its engine are far larger than the shell: what is sent before they are there waits.
  const world = import('../world/world.ts').then(({ startWorld }) => startWorld())
  const session = connect(inPage('In-page demo', async () => (await world).port()))
  session.peer.subscribe((peer) => {
    if (peer) document.documentElement.dataset.ready = ''
  })
  // Keys come with the tables of commands, which nobody needs to see something.
  Promise.all([import('./keys.ts'), import('./all-commands.ts')]).then(
    ([{ hearKeys }, { commands }]) => hearKeys(commands),
  )
}
