/** The smallest valid files of their types, in Base64. */

/** A green point: 1×1, PNG. */
export const png =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR42mNQrrICAAGbANhJnz+RAAAAAElFTkSuQmCC'

/** Eight samples of silence: mono, 8 kHz, WAV. */
export const wav = 'UklGRiwAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQgAAACAgICAgICAgA=='

export const image = { type: 'image', data: png, mimeType: 'image/png' } as const

/** Resolves after `ms`; rejects when the signal is aborted. */
export function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, ms)
    signal.addEventListener('abort', () => {
      clearTimeout(timer)
      reject(signal.reason)
    })
  })
}
