/** The popup: shows the state, and is the only place where tabs are ticked. */

import { defaultGateway, gatewayOf } from 'pagemcp'
import { confirmedGateways, confirmGateway } from './identity.ts'
import { handleMessages, type Overview } from './messages.ts'
import { say, showTexts, text } from './popup-language.ts'
import { background, element, showOverview } from './popup-view.ts'

let shown: Overview | undefined
let loading: Promise<void> | undefined
let stale = false

/** Shows the state, and once more if it has changed meanwhile. */
async function show(): Promise<void> {
  stale = true
  loading ??= (async () => {
    while (stale) {
      stale = false
      shown = await background.overview()
      showOverview(shown, refreshAfter)
    }
  })().finally(() => {
    loading = undefined
  })
  await loading
}

/** Shows the state after an action, successful or not. */
function refreshAfter(action: Promise<unknown>) {
  action.catch((error: unknown) => reportError(error)).finally(() => void show())
}

const link = element<HTMLInputElement>('link')
const problem = element('pairing-error')

/** Joins by the pasted link, after a confirmation if the user has not confirmed its gateway before. */
element('pairing').addEventListener('submit', (event) => {
  event.preventDefault()
  problem.hidden = true
  const address = gatewayOf(link.value)
  const isUsual = address === defaultGateway || confirmedGateways().includes(address ?? '')
  element('confirm-gateway').hidden = address === undefined || isUsual
  if (address === undefined || isUsual) {
    join()
    return
  }
  element('other-gateway').textContent = address
  element('refuse-gateway').focus()
})
element('refuse-gateway').addEventListener('click', () => {
  link.value = ''
  element('confirm-gateway').hidden = true
  link.focus()
})
element('accept-gateway').addEventListener('click', () => {
  const address = gatewayOf(link.value)
  element('confirm-gateway').hidden = true
  if (address === undefined || address !== element('other-gateway').textContent) return
  confirmGateway(address)
  join()
})

function join() {
  background.join({ link: link.value }).then(
    () => {
      link.value = ''
      element('gateway').classList.remove('again')
      void show()
    },
    (error: Error) => {
      const wrong = error.name === 'TypeError'
      problem.textContent = wrong ? text.notALink : say(text.failed, { error: error.message })
      problem.hidden = false
    },
  )
}
element('another').addEventListener('click', () => {
  element('gateway').classList.add('again')
  if (shown) showOverview(shown, refreshAfter)
  link.focus()
})
element('copy').addEventListener('click', async () => {
  await navigator.clipboard.writeText(element('command').textContent ?? '')
  element('copy').textContent = text.copied
})
element('pause').addEventListener('click', () =>
  refreshAfter(background.access({ pause: shown?.status.pausedUntil === undefined })),
)
element('untick').addEventListener('click', () => refreshAfter(background.untickAll()))
element<HTMLInputElement>('share').addEventListener('change', ({ target }) => {
  refreshAfter(background.share({ on: (target as HTMLInputElement).checked }))
})

showTexts()
element('command').textContent = `pagemcp dev --allow-origin ${location.origin}`
handleMessages('popup', { news: show })
void show()
