/** @jsxImportSource preact */
/** The dialog for connections: kind, address, and diagnosis. */

import { useSignal } from '@preact/signals'
import { useLayoutEffect, useRef } from 'preact/hooks'
import { t } from '../base/i18n.ts'
import { IconButton } from '../base/icon.tsx'
import { agree, hostNeedingConsent } from './consent.ts'
import { DoctorPanel } from './doctor-panel.tsx'
import { frameDialer, windowDialer } from './frame.ts'
import { GatewayPanel } from './gateway-panel.tsx'
import { type HeaderRow, HeaderRows, usableHeaders } from './header-rows.tsx'
import { http } from './http.ts'
import { mcpBFrame, mcpBHere } from './mcp-b.ts'
import { openConnection } from './open.ts'
import { type Kind, kinds, recent, remember, validEntries } from './recent.ts'
import type { Dialer } from './transport.ts'
import { webSocketDialer } from './websocket.ts'

const schemes: Readonly<Record<Exclude<Kind, 'gateway'>, readonly string[]>> = {
  http: ['https:', 'http:'],
  ws: ['wss:', 'ws:'],
  frame: ['https:', 'http:'],
  mcpB: ['https:', 'http:'],
}

export function Connect({ close }: { close(): void }) {
  const kind = useSignal<Kind>('gateway')
  return (
    <div class="connections-dialog">
      <header>
        <h2>{t('connections.connect')}</h2>
        <IconButton name="close" label={t('shell.close')} onClick={close} />
      </header>
      <fieldset class="connections-kinds">
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
              }}
            />
            {t(`connections.kinds.${one}`)}
          </label>
        ))}
      </fieldset>
      <p class="quiet">{t(`connections.about.${kind.value}`, { origin: location.origin })}</p>
      {kind.value === 'gateway' ? (
        <GatewayPanel close={close} />
      ) : (
        <AddressForm key={kind.value} kind={kind.value} close={close} />
      )}
    </div>
  )
}

function AddressForm({ kind, close }: { kind: Exclude<Kind, 'gateway'>; close(): void }) {
  const url = useSignal('')
  const headers = useSignal<readonly HeaderRow[]>([])
  const inWindow = useSignal(false)
  const problem = useSignal('')
  const examined = useSignal(0)
  const asking = useSignal<Question | undefined>(undefined)

  /** The error of the entered address, or its dialer. */
  const dialer = (): Dialer | string => {
    const address = url.value.trim()
    if (kind === 'mcpB' && address === '') return mcpBHere()
    const allowed = schemes[kind]
    if (!URL.canParse(address) || !allowed.includes(new URL(address).protocol))
      return t('connections.badUrl', { schemes: allowed.map((one) => `${one}//`).join(', ') })
    if (kind === 'ws') return webSocketDialer(address)
    if (kind === 'mcpB') return mcpBFrame(address)
    if (kind === 'frame') return inWindow.value ? windowDialer(address) : frameDialer(address)
    const own = usableHeaders(headers.value)
    return typeof own === 'string' ? own : http(address, { headers: own })
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
      remember(kind, url.value.trim())
      openConnection(made)
      close()
    })
  }

  const examine = () => withConsent(() => examined.value++)

  const own = usableHeaders(headers.value)
  return (
    <form onSubmit={go}>
      <label class="connections-url">
        {t('connections.url')}
        <input
          type="url"
          name="url"
          lang="en"
          autocomplete="off"
          spellcheck={false}
          required={kind !== 'mcpB'}
          placeholder={`${schemes[kind][0]}//…`}
          value={url.value}
          aria-describedby="connections-problem"
          onInput={({ currentTarget }) => {
            url.value = currentTarget.value
            asking.value = undefined
          }}
        />
      </label>
      {kind === 'frame' ? <Where inWindow={inWindow} /> : null}
      {kind === 'http' ? <HeaderRows rows={headers} /> : null}
      <p id="connections-problem" role="alert" class="connections-bad">
        {problem.value}
      </p>
      {asking.value ? (
        <Consent question={asking.value} end={() => (asking.value = undefined)} />
      ) : null}
      <p class="connections-buttons" hidden={asking.value !== undefined}>
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
      <RecentAddresses kind={kind} choose={(chosen) => (url.value = chosen)} />
    </form>
  )
}

/** A connection that waits for the user's confirmation. */
interface Question {
  host: string
  proceed(): void
}

function Consent({ question: { host, proceed }, end }: { question: Question; end(): void }) {
  const refuse = useRef<HTMLButtonElement>(null)
  useLayoutEffect(() => refuse.current?.focus(), [])
  return (
    <div class="connections-consent" role="alertdialog" aria-labelledby="connections-consent">
      <p id="connections-consent">{t('connections.consent', { host })}</p>
      <p class="connections-buttons">
        <button type="button" ref={refuse} onClick={end}>
          {t('connections.refuse')}
        </button>
        <button
          type="button"
          data-agree={host}
          onClick={() => {
            agree(host)
            end()
            proceed()
          }}
        >
          {t('connections.agree', { host })}
        </button>
      </p>
    </div>
  )
}

function Where({ inWindow }: { inWindow: { value: boolean } }) {
  return (
    <fieldset class="connections-kinds">
      <legend>{t('connections.where')}</legend>
      {([false, true] as const).map((one) => (
        <label key={String(one)}>
          <input
            type="radio"
            name="connections-where"
            checked={inWindow.value === one}
            onChange={() => {
              inWindow.value = one
            }}
          />
          {t(one ? 'connections.inWindow' : 'connections.inFrame')}
        </label>
      ))}
    </fieldset>
  )
}

function RecentAddresses({ kind, choose }: { kind: Kind; choose(url: string): void }) {
  const ones = validEntries(recent.value).filter((one) => one.kind === kind)
  if (ones.length === 0) return null
  return (
    <section>
      <h3>{t('connections.recent')}</h3>
      <ul class="connections-recent">
        {ones.map(({ url }) => (
          <li key={url}>
            <button type="button" class="plain" lang="en" onClick={() => choose(url)}>
              {url}
            </button>
          </li>
        ))}
      </ul>
      <button
        type="button"
        onClick={() => {
          recent.value = recent.peek().filter((one) => one.kind !== kind)
        }}
      >
        {t('connections.forget')}
      </button>
    </section>
  )
}
