/** A document that is still there after this time is not being left; the second one is for a slow server of the next. */
const leaveTime = 1000 // ms
const longLeaveTime = 60_000 // ms

/**
 * A part that is loaded on demand: `part(import('./x.ts'))`. Firefox ends the loads of a document as soon as another one
 * is requested, and the old one runs until that arrives: that is no error of the page. So this rejects only if the
 * document stays.
 */
export async function part<T>(module: Promise<T>): Promise<T> {
  let wait = leaveTime
  const leaves = () => {
    wait = longLeaveTime
  }
  globalThis.addEventListener?.('beforeunload', leaves) // tests in Node have none
  try {
    return await module
  } catch (error) {
    await new Promise((resolve) => setTimeout(resolve, wait))
    throw error
  } finally {
    globalThis.removeEventListener?.('beforeunload', leaves)
  }
}
