/** What the user sees and decides: the one place where a tab is ticked. */

import { defaultGateway, gatewayOf } from 'pagemcp'
import { permissionFor } from './consent.ts'
import { confirmedGateways, confirmGateway } from './identity.ts'
import { answer, ask, type Overview, type TabInfo } from './messages.ts'
import { element, showOverview } from './popup-view.ts'

let shown: Overview | undefined
let loading: Promise<void> | undefined
let stale = false

/** Shows how things are; however much comes in the meantime, once more afterwards. */
async function show(): Promise<void> {
  stale = true
  loading ??= (async () => {
    while (stale) {
      stale = false
      shown = await ask('background', 'overview', undefined)
      showOverview(shown, { ticked, forgotten })
    }
  })().finally(() => {
    loading = undefined
  })
  await loading
}

/**
 * The user has clicked on a tab's checkbox. The browser asks about a site only within that click: so
 * nothing may be awaited before. The background goes on by itself if this window closes meanwhile.
 */
function ticked({ id: tab, site }: TabInfo, on: boolean) {
  if (site === undefined) return
  if (!on || shown?.sites.includes(site)) {
    done(ask('background', 'tick', { tab, on }))
    return
  }
  void ask('background', 'asking', { tab, site })
  const granted = chrome.permissions.request(permissionFor(site))
  done(granted.then((yes) => (yes ? ask('background', 'consent', { tab, site }) : undefined)))
}

function forgotten(site: string) {
  done(ask('background', 'forget', { site }))
}

/** Shows what has come of it, whatever that is. */
function done(deed: Promise<unknown>) {
  deed.catch((error: unknown) => reportError(error)).finally(() => void show())
}

const link = element<HTMLInputElement>('link')
const problem = element('pairing-error')

/** Joins by the pasted link; asks first if it is that of a gateway that the user has not confirmed. */
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
  ask('background', 'join', { link: link.value }).then(
    () => {
      link.value = ''
      element('gateway').classList.remove('again')
      void show()
    },
    (error: Error) => {
      const wrong = error.name === 'TypeError'
      problem.textContent = wrong ? 'That is not the link of a gateway.' : error.message
      problem.hidden = false
    },
  )
}
element('another').addEventListener('click', () => {
  element('gateway').classList.add('again')
  if (shown) showOverview(shown, { ticked, forgotten })
  link.focus()
})
element('copy').addEventListener('click', async () => {
  await navigator.clipboard.writeText(element('command').textContent ?? '')
  element('copy').textContent = 'Copied'
})
element('untick').addEventListener('click', () => done(ask('background', 'untickAll', undefined)))
element<HTMLInputElement>('share').addEventListener('change', ({ target }) => {
  done(ask('background', 'share', { on: (target as HTMLInputElement).checked }))
})

element('command').textContent = `pagemcp dev --allow-origin ${location.origin}`
answer('popup', { news: () => void show() })
void show()
