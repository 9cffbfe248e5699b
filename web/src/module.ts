/**
 * Loads code on demand. Each module is a file of its own in the package (lazyModules of server/bundle). What an app will
 * need is loaded when it mounts or registers something: later its server may be gone, or have other files.
 */

/** A document that is still there after this time is not being left. */
const leaveTime = 1000 // ms

/**
 * Waits until it is certain that the document stays. Firefox ends the loads of a document when another one is
 * requested, and the old one still runs: what ended so is no error of the page. Never settles if the document goes.
 */
export const staying = () => new Promise<void>((resolve) => setTimeout(resolve, leaveTime))

/**
 * Names the file in the error if it does not load. A later import tries again. The result may be ignored, to load
 * ahead: then an error is that of the use.
 *
 * @param module - `import()` of the module, which bundlers must see
 */
export function lazily<T>(file: string, module: Promise<T>): Promise<T> {
  const loading = module.catch(async (cause: unknown) => {
    await staying()
    throw new Error(`${file} did not load; is it beside index.js?`, { cause })
  })
  loading.catch(() => {})
  return loading
}
