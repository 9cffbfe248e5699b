/** What happens by itself when the page opens: language, colours, and a world that answers. */

import { inPage } from '../connections/in-page.ts'
import { preferredLocale, setLocale } from './i18n.ts'
import { connect } from './state.ts'

/** Called once, when the shell stands. `<html data-ready>` says that the server has answered for the first time. */
export function begin(): void {
  const asked = new URLSearchParams(location.search).get('lang')
  setLocale(preferredLocale(asked ? [asked] : navigator.languages))
  // The world and its engine are far larger than the shell: what is sent before they are there waits.
  const world = import('../world/world.ts').then(({ startWorld }) => startWorld())
  const session = connect(inPage('In-page demo', async () => (await world).port()))
  session.peer.subscribe((peer) => {
    if (peer) document.documentElement.dataset.ready = ''
  })
}
