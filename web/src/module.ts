/**
 * Loads code on demand. Each module is a file of its own in the package (lazyModules of server/bundle). What an app will
 * need is loaded when it mounts or registers something: later its server may be gone, or have other files.
 */

/** A document that is still there after this time is not being left; the second one is for a slow server of the next. */
const leaveTime = 1000 // ms
const longLeaveTime = 60_000 // ms

/**
 * The result of a load. Firefox ends the loads of a document when another one is requested, and the old one runs until
 * that arrives: what ended so is no error of the page. So this rejects only if the document stays.
 */
export async function unlessLeft<T>(loading: Promise<T>): Promise<T> {
  let wait = leaveTime
  const leaves = () => {
    wait = longLeaveTime
  }
  globalThis.addEventListener?.('beforeunload', leaves)
  try {
    return await loading
  } catch (error) {
    await new Promise((resolve) => setTimeout(resolve, wait))
    throw error
  } finally {
    globalThis.removeEventListener?.('beforeunload', leaves)
  }
}

/**
 * Loads a module at the first call, and after a failure again. Each call gets the same promise, so that what waits for
 * it runs in the order of the calls: two imports of one module may finish in any order.
 */
export function loader<T>(load: () => Promise<T>): () => Promise<T> {
  let loading: Promise<T> | undefined
  return () => {
    if (loading === undefined) {
      loading = load()
      loading.catch(() => {
        loading = undefined
      })
    }
    return loading
  }
}

/**
 * Names the file in the error if it does not load. A later import tries again. The result may be ignored, to load
 * ahead: then an error is that of the use.
 *
 * @param module - `import()` of the module, which bundlers must see
 */
export function lazily<T>(file: string, module: Promise<T>): Promise<T> {
  const loading = unlessLeft(module).catch((cause: unknown) => {
    throw new Error(`${file} did not load; is it beside index.js?`, { cause })
  })
  loading.catch(() => {})
  return loading
}
