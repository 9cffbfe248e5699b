/** @jsxImportSource preact */
/** Shows bytes: an image where that is safe, else hexadecimal; with a download. */

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
      <Download part={part} />
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
      <Download part={part} />
    </>
  )
}

/** Decodes once for all redraws. */
const useBytes = (part: Part) => useMemo(() => bytesOf(part), [part])

export function Download({ part }: { part: Part }) {
  const bytes = useBytes(part)
  // Never with the server's type: an HTML page would open in this origin.
  const address = useAddress(bytes, 'application/octet-stream')
  const name = part.uri.split(/[/?#]/).filter(Boolean).at(-1) ?? 'download'
  return address ? (
    <p>
      <a href={address} download={name.replace(/[^\p{L}\p{N}._-]/gu, '_')}>
        {t('inspect.download', { size: sizeText(bytes?.length ?? 0) })}
      </a>
    </p>
  ) : null
}
