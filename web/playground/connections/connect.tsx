/** @jsxImportSource preact */
/** The dialog for connections: kind, address, and diagnosis. */

import { useSignal } from '@preact/signals'
import type { DialogProps } from '../base/dialog-props.ts'
import { Head } from '../base/head.tsx'
import { t } from '../base/i18n.ts'
import { show } from '../base/state.ts'
import { connectionsCommands } from './commands.ts'
import { hostNeedingConsent } from './consent.ts'
import { dialerOf, schemes } from './dialer-of.ts'
import { DoctorPanel } from './doctor-panel.tsx'
import { type HeaderRow, HeaderRows, usableHeaders } from './header-rows.tsx'
import { openConnection } from './open.ts'
import { Consent, type Question } from './question.tsx'
import { type Kind, kinds, learnName, saveServer } from './servers.ts'
import { Servers } from './servers-list.tsx'
import type { Dialer } from './transport.ts'

const another = connectionsCommands.find(({ id }) => id === 'connections.another')

export function Connect({ close }: DialogProps) {
  const kind = useSignal<Kind>('http')
  const address = useSignal('')
  return (
    <div class="connections-dialog stack">
      <Head title={t('connections.connect')} close={close} />
      <p class="toolbar">
        <button
          type="button"
          data-command="gateway"
          onClick={() => {
            show({ front: 'gateway' })
            close()
          }}
        >
          {t('connections.gatewayPages')}
        </button>
        {another?.when?.() && (
          <button
            type="button"
            onClick={() => {
              another.run()
              close()
            }}
          >
            {t('connections.anotherClient')}
          </button>
        )}
      </p>
      <Servers
        choose={(server) => {
          kind.value = server.kind
          address.value = server.url
        }}
      />
      <fieldset class="toolbar">
        <legend>{t('connections.kind')}</legend>
        {kinds.map((one) => (
          <label key={one}>
            <input
              type="radio"
              name="connections-kind"
              value={one}
              checked={kind.value === one}
              onChange={() => {
                kind.value = one
                address.value = ''
              }}
            />
            {t(`connections.kinds.${one}`)}
          </label>
        ))}
      </fieldset>
      <p class="quiet">{t(`connections.about.${kind.value}`, { origin: location.origin })}</p>
      <AddressForm
        key={`${kind.value} ${address.value}`}
        kind={kind.value}
        address={address.value}
        close={close}
      />
    </div>
  )
}

interface AddressFormProps extends DialogProps {
  kind: Kind
  /** What the form begins with. */
  address: string
}

function AddressForm({ kind, address, close }: AddressFormProps) {
  const url = useSignal(address)
  const headers = useSignal<readonly HeaderRow[]>([])
  const problem = useSignal('')
  const examined = useSignal(0)
  const asking = useSignal<Question | undefined>(undefined)

  /** The error of the entered address, or its dialer. */
  const dialer = (): Dialer | string => {
    const own = usableHeaders(kind === 'http' ? headers.value : [])
    return typeof own === 'string' ? own : dialerOf(kind, url.value.trim(), { headers: own })
  }

  /** Connects once the address is valid and the user has confirmed its host. */
  const withConsent = (act: (made: Dialer) => void) => {
    const made = dialer()
    problem.value = typeof made === 'string' ? made : ''
    if (typeof made === 'string') return
    const host = hostNeedingConsent(url.value.trim())
    if (host === undefined) act(made)
    else asking.value = { host, proceed: () => act(made) }
  }

  const go = (event: Event) => {
    event.preventDefault()
    withConsent((made) => {
      const address = url.value.trim()
      saveServer(kind, address)
      learnName(kind, address, openConnection(made))
      close()
    })
  }

  const examine = () => withConsent(() => examined.value++)

  const own = usableHeaders(headers.value)
  return (
    <form class="stack" onSubmit={go}>
      <label class="field">
        {t('connections.url')}
        <input
          type="url"
          name="url"
          lang="en"
          autocomplete="off"
          spellcheck={false}
          required
          placeholder={`${schemes[kind][0]}//…`}
          value={url.value}
          aria-describedby="connections-problem"
          onInput={({ currentTarget }) => {
            url.value = currentTarget.value
            asking.value = undefined
          }}
        />
      </label>
      {kind === 'http' ? <HeaderRows rows={headers} /> : null}
      <p id="connections-problem" role="alert">
        {problem.value}
      </p>
      {asking.value ? (
        <Consent question={asking.value} end={() => (asking.value = undefined)} />
      ) : null}
      <p class="toolbar" hidden={asking.value !== undefined}>
        <button type="submit" class="primary">
          {t('connections.go')}
        </button>
        {kind === 'http' ? (
          <button type="button" onClick={examine}>
            {t('connections.examine')}
          </button>
        ) : null}
      </p>
      {examined.value > 0 && typeof own !== 'string' ? (
        <DoctorPanel key={examined.value} url={url.peek().trim()} headers={own} />
      ) : null}
    </form>
  )
}
