/** What happens by itself when the page opens: language, colours, and a world that answers. */

import { inPage } from '../connections/in-page.ts'
import { preferredLocale, setLocale } from './i18n.ts'
import { connect } from './state.ts'

/** Called once, when the shell stands. */
export function begin(): void {
  setLocale(preferredLocale(navigator.languages))
  // The world and its engine are far larger than the shell: what is sent before they are there waits.
  const world = import('../world/world.ts').then(({ startWorld }) => startWorld())
  connect(inPage('In-page demo', async () => (await world).port()))
}
