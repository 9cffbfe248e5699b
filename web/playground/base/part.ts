/** A document that is still there after this time is not being left. */
const leaveTime = 1000 // ms

/**
 * A part that is loaded on demand: `part(import('./x.ts'))`. Firefox ends the loads of a document as soon as another one
 * is requested, and the old one still runs: that is no error of the page. So this rejects only if the document stays.
 */
export function part<T>(module: Promise<T>): Promise<T> {
  return module.catch(async (error: unknown) => {
    await new Promise((resolve) => setTimeout(resolve, leaveTime))
    throw error
  })
}
