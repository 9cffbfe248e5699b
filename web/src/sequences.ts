/**
 * Several messages in one frame of the gateway's WebSocket: a JSON text sequence (RFC 7464), each message after
 * a separator, which cannot occur in JSON text. What the browser does for one frame costs more than most messages.
 */

export interface Sequences {
  /** Receives a frame: one message, or several. */
  receive(frame: string): void
  /** Sends a message. Those that are sent while a frame is received, or by microtasks of one task, share a frame. */
  send(message: string): void
}

/** U+001E, the record separator. */
export const separator = '\x1e'

/** The size up to which messages are put into one frame. */
const maxSequence = 64 << 10 // UTF-16 code units

/**
 * @param receive - gets each message, and does not throw
 * @param send - sends a frame
 * @param isAllowed - whether the gateway reads several messages in one frame
 */
export function sequences(
  receive: (message: string) => void,
  send: (frame: string) => void,
  isAllowed: boolean,
): Sequences {
  let gathered: string[] = []
  let size = 0
  let willFlush = false

  const flush = () => {
    const messages = gathered
    gathered = []
    size = 0
    willFlush = false
    if (messages.length === 1) send(messages[0] as string)
    else if (messages.length > 1) send(separator + messages.join(separator))
  }

  return {
    receive(frame) {
      if (!frame.startsWith(separator)) {
        receive(frame)
        return
      }
      for (const message of frame.slice(1).split(separator)) receive(message)
    },
    send(message) {
      if (!isAllowed) {
        send(message)
        return
      }
      if (size + message.length > maxSequence) flush()
      gathered.push(message)
      size += message.length
      if (willFlush) return
      willFlush = true
      queueMicrotask(flush)
    },
  }
}
