import type { BenchPort } from '../client.ts'

/** The transport interface of both SDKs, on a port. */
export function transport(port: BenchPort): object {
  const made = {
    onmessage: undefined as ((message: never) => void) | undefined,
    onclose: undefined as (() => void) | undefined,
    onerror: undefined as ((error: Error) => void) | undefined,
    async start() {
      port.onmessage = ({ data }) => made.onmessage?.(data as never)
    },
    send: async (message: unknown) => port.postMessage(message),
    async close() {
      made.onclose?.()
    },
  }
  return made
}
