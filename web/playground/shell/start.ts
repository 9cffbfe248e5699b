/** Starts the playground: language, theme, keys, and the demo. */

import { effect } from '@preact/signals'
import { actions } from '../base/actions.ts'
import { preferredLocale, setLocale, textsLoaded } from '../base/i18n.ts'
import { loadWhenIdle } from '../base/idle.ts'
import { part } from '../base/part.ts'
import { change, chosenLocale, embedded } from '../base/settings.ts'
import { demoPaused } from '../base/state.ts'
import { followTheme } from '../base/theme.ts'
import { acceptInvitation } from '../connections/accept-invitation.ts'
import { active } from '../connections/clients.ts'
import { restoreEarlier } from '../timeline/earlier.ts'
import { translation } from '../timeline/format.ts'
import { openDemo } from './open-demo.ts'
import { announce } from './toast.tsx'

/**
 * Called once, after the first render. `<html data-ready>` is set after the first response of the server. In
 * the address, `?lang=` chooses a language; `?quiet` stops automatic changes of the demo, as reduced motion
 * does; `?watch=` names a page of the gateway to monitor.
 */
export function start(): void {
  const asked = new URLSearchParams(location.search)
  const language = asked.get('lang') ?? chosenLocale.peek()
  setLocale(preferredLocale(language ? [language] : navigator.languages))
  followTheme()
  actions.announce = announce
  // Browsers open the file dialog for some seconds after the click: the module is loaded by then.
  actions.importFile = () =>
    part(import('../share/share-parts.ts')).then(({ chooseFile }) => chooseFile())
  actions.replay = async (rows, title) =>
    (await part(import('../lessons/lesson-parts.ts'))).startReplay(rows, title)
  const sharing = () => part(import('../share/share-parts.ts'))
  const receive = async () => (await sharing()).receiveLinks()
  const receiveLater = () => loadWhenIdle(sharing, ({ receiveLinks }) => receiveLinks())
  receiveFiles()
  // The tables of commands are loaded later: the first view does not need them.
  part(import('./shell-parts.ts')).then(({ listenForKeys, commands, eventText }) => {
    listenForKeys(commands)
    translation.value = eventText
  })
  effect(() => {
    if (active.value?.peer.value) document.documentElement.dataset.ready = ''
  })
  if (embedded) {
    if (location.hash) receive()
    else receiveLater()
    part(import('./embed.ts')).then(({ startEmbedded }) => startEmbedded(asked))
    return
  }
  acceptInvitation()
  const begin = () => connectDemo(asked)
  // Rows from before a reload come before those of the first connection.
  const first = [restoreEarlier()].filter((one) => one !== undefined)
  // A shared message decides the revision of the first connection. Other links are opened at once, too.
  if (location.hash.startsWith('#v1.')) first.push(receive())
  else if (location.hash) receive()
  else receiveLater()
  if (first.length > 0) Promise.allSettled(first).then(begin)
  else begin()
}

/** Imports files that are dropped on the page, also before the part that reads them is loaded. */
function receiveFiles(): void {
  addEventListener('dragover', (event) => {
    if (event.dataTransfer?.types.includes('Files')) event.preventDefault()
  })
  addEventListener('drop', async (event) => {
    const files = [...(event.dataTransfer?.files ?? [])]
    if (files.length === 0) return
    event.preventDefault()
    const [{ importFiles }] = await Promise.all([
      part(import('../share/share-parts.ts')),
      textsLoaded(),
    ])
    await importFiles(files)
  })
}

/** Connects the demo, and starts what depends on it. */
function connectDemo(asked: URLSearchParams): void {
  const watched = asked.get('watch')
  const quiet = asked.has('quiet') || watched !== null
  if (quiet) change({ bench: true })
  const still = quiet || matchMedia('(prefers-reduced-motion: reduce)').matches
  demoPaused.value = true // until the first subscription is shown; for good where nothing is to move
  const session = openDemo()
  if (!still) {
    const stop = session.peer.subscribe((peer) => {
      if (peer === undefined) return
      queueMicrotask(() => stop())
      part(import('../demo/demo-parts.ts')).then(({ showFirstSubscription }) =>
        showFirstSubscription(session),
      )
    })
  }
  if (asked.has('lesson') || asked.has('present') || asked.has('scenario')) {
    part(import('../lessons/lesson-parts.ts')).then(({ startFromAddress }) =>
      startFromAddress(asked),
    )
  }
  if (watched !== null) {
    part(import('../connections/connect-parts.ts')).then(({ watchFromAddress }) =>
      watchFromAddress(watched),
    )
  }
  part(import('./shell-parts.ts')).then(({ catalogue }) => catalogue(session))
}
