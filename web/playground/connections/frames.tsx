/** @jsxImportSource preact */
/**
 * Pages that are open in frames of the dock, a column beside the panes, on a narrow screen a row below them. Each can
 * be folded: a page must stay in the document while its connection is open, and a frame that is moved loads again. It may run scripts and submit forms, and cannot navigate the playground's window.
 */

import { type Signal, signal } from '@preact/signals'
import { render } from 'preact'
import { t } from '../base/i18n.ts'

export interface OpenedFrame {
  window: Window
  origin: string
  close(): void
  /** Settles when the user or the page has closed the frame. */
  gone: Promise<void>
}

interface Framed {
  key: number
  url: string
  folded: Signal<boolean>
  shown(frame: HTMLIFrameElement): void
  left(): void
}

const frames: Signal<readonly Framed[]> = signal([])
let last = 0
let mounted = false

/**
 * Opens a page in a frame. Settles when the frame has loaded something: browsers do not say whether it is the
 * page.
 */
export function openFrame(url: string): Promise<OpenedFrame> {
  if (!mounted) {
    mounted = true
    const dock = document.createElement('aside')
    dock.className = 'dock'
    document.body.append(dock)
    render(<Frames />, dock)
  }
  return new Promise((resolve) => {
    let leave = () => {}
    const gone = new Promise<void>((settle) => {
      leave = settle
    })
    const key = ++last
    const close = () => {
      frames.value = frames.peek().filter((one) => one.key !== key)
      leave()
    }
    const shown = (frame: HTMLIFrameElement) => {
      if (frame.contentWindow)
        resolve({ window: frame.contentWindow, origin: new URL(url).origin, close, gone })
    }
    frames.value = [...frames.peek(), { key, url, folded: signal(false), shown, left: close }]
  })
}

function Frames() {
  return (
    <>
      {frames.value.map((framed) => (
        <Frame key={framed.key} framed={framed} />
      ))}
    </>
  )
}

function Frame({ framed: { url, folded, shown, left } }: { framed: Framed }) {
  const host = new URL(url).host
  return (
    <section class="connections-frame" aria-label={t('connections.frameOf', { host })}>
      <header class="head">
        <strong>{host}</strong>
        <button
          type="button"
          aria-expanded={!folded.value}
          onClick={() => {
            folded.value = !folded.value
          }}
        >
          {folded.value ? t('connections.unfold') : t('connections.fold')}
        </button>
        <button type="button" onClick={left}>
          {t('connections.closeFrame')}
        </button>
      </header>
      <iframe
        onLoad={({ currentTarget }) => shown(currentTarget)}
        src={url}
        title={t('connections.frameOf', { host })}
        sandbox="allow-scripts allow-same-origin allow-forms allow-popups allow-modals"
        referrerpolicy="no-referrer"
        class={folded.value ? 'is-folded' : ''}
      />
    </section>
  )
}
