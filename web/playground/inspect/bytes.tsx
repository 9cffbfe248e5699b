/** @jsxImportSource preact */
/** Shows bytes: an image, sound or page where that is safe, else hexadecimal; with a download. */

import { useSignal } from '@preact/signals'
import { useEffect, useMemo } from 'preact/hooks'
import { t } from '../base/i18n.ts'
import { sizeText } from '../base/size.ts'
import { bytesOf, type Part } from './contents.ts'
import { hexLines } from './hex.ts'

/** Bytes shown at first, and with each "more". */
const page = 512 // bytes

/** An object URL of bytes while the component is mounted. */
function useAddress(bytes: Uint8Array<ArrayBuffer> | undefined, type: string) {
  const address = useSignal<string | undefined>(undefined)
  useEffect(() => {
    if (!bytes) return
    const url = URL.createObjectURL(new Blob([bytes], { type }))
    address.value = url
    return () => URL.revokeObjectURL(url)
  }, [bytes, type, address])
  return address.value
}

/**
 * An image, also SVG: in `img` it runs no script and fetches nothing.
 * https://www.w3.org/TR/SVG2/conform.html#secure-static-mode
 */
export function Picture({ part }: { part: Part }) {
  const broken = useSignal(false)
  const bytes = useBytes(part)
  const svg = part.kind === 'svg'
  const address = useAddress(bytes, svg ? 'image/svg+xml' : part.mimeType)
  if (!bytes || broken.value) return <Bytes part={part} />
  return (
    <>
      {address && (
        <img
          class="in-picture"
          src={address}
          alt={part.uri || part.mimeType}
          onError={() => {
            broken.value = true
          }}
        />
      )}
      <Download part={part} bytes={bytes} />
    </>
  )
}

/** Sound, with the controls of the browser; what it cannot play is shown as bytes. */
export function Sound({ part }: { part: Part }) {
  const silent = useSignal(false)
  const bytes = useBytes(part)
  const address = useAddress(bytes, part.mimeType)
  if (!bytes || silent.value) return <Bytes part={part} />
  return (
    <>
      {address && (
        // biome-ignore lint/a11y/useMediaCaption: servers send none
        <audio
          controls
          src={address}
          onError={() => {
            silent.value = true
          }}
        />
      )}
      <Download part={part} bytes={bytes} />
    </>
  )
}

/** Before the document: it fetches nothing, and shows no other document in a frame. */
const strict =
  '<!doctype html><meta http-equiv="Content-Security-Policy" content="default-src \'none\'">'

/**
 * HTML without its styles, scripts, pictures, frames and links: the frame has an opaque origin, the policy of this page,
 * which a blob: document inherits, and a stricter one, since this page may frame other sites. It takes no input. Nothing in it navigates (a refresh needs `allow-scripts`).
 * https://html.spec.whatwg.org/multipage/browsers.html#sandboxed-automatic-features-browsing-context-flag
 */
export function Html({ part }: { part: Part }) {
  const bytes = useBytes(part)
  const confined = useMemo(() => bytes && joined(new TextEncoder().encode(strict), bytes), [bytes])
  const address = useAddress(confined, 'text/html;charset=utf-8')
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, and not all browsers let Tab into what does
    <div class="in-html" tabIndex={0}>
      {address && <iframe title={part.uri || part.mimeType} sandbox="" inert src={address} />}
    </div>
  )
}

/** A PDF: a link to the browser's viewer, in a tab of its own. */
export function Pdf({ part }: { part: Part }) {
  const bytes = useBytes(part)
  const address = useAddress(bytes, 'application/pdf')
  return (
    <>
      {address && (
        <p>
          <a href={address} target="_blank" rel="noopener">
            PDF ({sizeText(bytes?.length ?? 0)})
          </a>
        </p>
      )}
      <Bytes part={part} />
    </>
  )
}

/** Bytes in hexadecimal. */
export function Bytes({ part }: { part: Part }) {
  const shown = useSignal(page)
  const bytes = useBytes(part)
  if (!bytes) {
    return (
      <>
        <p role="alert">{t('inspect.badBase64')}</p>
        <pre>{part.blob?.slice(0, 1000)}</pre>
      </>
    )
  }
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, and not all browsers let Tab into what does */}
      <pre class="in-hex" tabIndex={0}>
        {hexLines(bytes, 0, shown.value).join('\n')}
      </pre>
      {bytes.length > shown.value && (
        <button
          type="button"
          onClick={() => {
            shown.value *= 4
          }}
        >
          {t('inspect.moreBytes', { size: sizeText(bytes.length - shown.value) })}
        </button>
      )}
      <Download part={part} bytes={bytes} />
    </>
  )
}

/** Decodes once for all redraws. */
function joined(first: Uint8Array, second: Uint8Array): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(first.length + second.length)
  whole.set(first)
  whole.set(second, first.length)
  return whole
}

const useBytes = (part: Part) => useMemo(() => bytesOf(part), [part])

function Download({ part, bytes }: { part: Part; bytes: Uint8Array<ArrayBuffer> }) {
  // Never with the server's type: an HTML page would open in this origin.
  const address = useAddress(bytes, 'application/octet-stream')
  const name = part.uri.split(/[/?#]/).filter(Boolean).at(-1) ?? 'download'
  return address ? (
    <p>
      <a href={address} download={name.replace(/[^\p{L}\p{N}._-]/gu, '_')}>
        {t('inspect.download', { size: sizeText(bytes.length) })}
      </a>
    </p>
  ) : null
}
