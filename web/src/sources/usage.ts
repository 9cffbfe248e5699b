/** The time in which a source is used: while it is mounted anywhere, or has listeners. */

/**
 * Starts something with its first user and stops it with the last. The same source may be mounted several
 * times, and in several engines.
 *
 * @param start - `signal` is aborted when the last user has left; it may be called again afterwards
 * @returns a function that adds a user, which leaves when its signal is aborted
 */
export function whileUsed(start: (signal: AbortSignal) => void): (user: AbortSignal) => void {
  let users = 0
  let running: AbortController | undefined
  return (user) => {
    if (user.aborted) return
    users++
    const leave = () => {
      users--
      if (users > 0) return
      running?.abort()
      running = undefined
    }
    user.addEventListener('abort', leave, { once: true })
    if (running !== undefined) return
    running = new AbortController()
    start(running.signal)
  }
}
