/** What every demo shows: its texts, its language, the way to the playground, and how the connection stands. */

import type { GatewayState, JoinReason, State } from 'pagemcp'
import { type IconName, icons } from './icons.ts'
import { inLanguage, languageField } from './language.ts'
import { texts as english, type Shared } from './texts/en.ts'
import { fill, load, say, type Texts } from './texts.ts'
import { noteWatch } from './watch.ts'

/** The texts that all demos have. */
export const shared: Shared = await load('shared', english)

export function element<T extends HTMLElement = HTMLElement>(id: string): T {
  const found = document.getElementById(id)
  if (found === null) throw new Error(`index.html has no #${id}`)
  return found as T
}

export function make(tag: string, className: string, ...children: (string | Node)[]): HTMLElement {
  const made = document.createElement(tag)
  made.className = className
  made.append(...children)
  return made
}

/** An icon. It has no text. */
export function icon(name: IconName): SVGSVGElement {
  const namespace = 'http://www.w3.org/2000/svg'
  const svg = document.createElementNS(namespace, 'svg')
  svg.setAttribute('class', 'icon')
  svg.setAttribute('viewBox', '0 0 16 16')
  svg.setAttribute('aria-hidden', 'true')
  const path = document.createElementNS(namespace, 'path')
  path.setAttribute('d', icons[name])
  svg.append(path)
  return svg
}

/** A button with an icon only. */
export function iconButton(name: IconName, label: string, act: () => void): HTMLButtonElement {
  const button = make('button', 'plain icon-button', icon(name)) as HTMLButtonElement
  button.type = 'button'
  button.ariaLabel = label
  button.title = label
  button.addEventListener('click', act)
  return button
}

let watchLink: HTMLAnchorElement | undefined

/**
 * Writes the texts of a demo into its page, and adds to its header the link to the playground and the field of the
 * language.
 *
 * @param page - the name that the demo asks the gateway for
 */
export function showPage(page: string, texts: Texts & { name: string; description: string }): void {
  fill({ ...shared, ...texts })
  document.title = `${texts.name} · PageMCP`
  document.querySelector('meta[name=description]')?.setAttribute('content', texts.description)
  document.querySelector<HTMLAnchorElement>('.home')?.setAttribute('href', inLanguage('../../'))
  watchLink = make('a', 'watch plain', icon('eye'), shared.watch) as HTMLAnchorElement
  watchLink.target = '_blank'
  watchLink.addEventListener('click', () => noteWatch(watchLink?.dataset.page ?? ''))
  watchLink.addEventListener('auxclick', () => noteWatch(watchLink?.dataset.page ?? ''))
  linkTo(page)
  element('state').before(watchLink, languageField(shared.language))
}

/** The gateway may give a page another name than the one it asks for. */
function linkTo(page: string) {
  if (watchLink === undefined) return
  watchLink.dataset.page = page
  watchLink.href = inLanguage(`../../playground/?watch=${encodeURIComponent(page)}`)
}

/** How the connection of a demo stands. */
export interface Standing {
  is: 'starting' | 'waiting' | 'joined' | 'away' | 'unpaired' | 'failed'
  /** A short text. */
  text: string
  /** What the user can do, if anything. */
  advice?: string
}

/** @param reason - why the gateway was not joined, if it was not */
export function standing({ engine, gateways }: State, reason?: JoinReason): Standing {
  if (engine === 'starting' || engine === 'restarting')
    return { is: 'starting', text: shared.starting }
  if (engine !== 'running') {
    return { is: 'failed', text: shared.notServed, advice: shared.stopAdvice }
  }
  return gatewayStanding(gateways.at(-1), reason)
}

function gatewayStanding(gateway: GatewayState | undefined, reason?: JoinReason): Standing {
  switch (gateway?.is) {
    case 'joined':
      return { is: 'joined', text: say(shared.joined, { name: gateway.name ?? '' }) }
    case 'connecting':
      if (gateway.error === undefined) break // the first try
      return { is: 'away', text: shared.away, advice: shared.awayAdvice }
    case 'away':
      return { is: 'away', text: shared.away, advice: shared.awayAdvice }
    case 'refused':
    case 'closed':
      if (reason === 'not-invited') {
        return { is: 'unpaired', text: shared.notPaired, advice: shared.pairAdvice }
      }
      if (reason === 'refused') {
        return { is: 'unpaired', text: shared.refused, advice: shared.linkAdvice }
      }
      if (reason === 'other-gateway') {
        const advice = say(shared.otherAdvice, { gateway: gateway.url })
        return { is: 'unpaired', text: shared.notPaired, advice }
      }
      return { is: 'unpaired', text: shared.notPaired, advice: gateway.error ?? shared.pairAdvice }
  }
  return { is: 'waiting', text: shared.looking }
}

/** Shows a standing in the header, and the advice below it. */
export function showStanding({ is, text, advice = '' }: Standing, name?: string): void {
  element('state').dataset.is = is
  element('state-text').textContent = text
  element('advice-text').textContent = advice
  element('advice').hidden = advice === ''
  if (name === undefined) return
  element('state').dataset.name = name
  linkTo(name)
}

/** Shows that there is no engine. */
export function showFailure(error: unknown): void {
  const reason = String(error)
  const advice = say(shared.failAdvice, { reason })
  showStanding({ is: 'failed', text: shared.notServed, advice })
  element('advice-text').append(' ', explanation('../../'))
}

/**
 * A link to what the documentation says about errors.
 *
 * @param root - where the server's files are, relative to the document
 */
export function explanation(root: string): HTMLAnchorElement {
  const link = make('a', '', shared.explain) as HTMLAnchorElement
  link.href = `${root}docs/troubleshooting.html`
  link.target = '_blank'
  return link
}
