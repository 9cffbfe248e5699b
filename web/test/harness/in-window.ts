/**
 * A module for pages of tests: makes the window run what a Worker would, so that a test can stop the engine by the
 * window's clock, storage and thread. The page imports it before it calls `start`.
 */
export const inWindow = `
import { serve } from '/pagemcp/worker.js'
window.Worker = function () {
  const { port1, port2 } = new MessageChannel()
  serve(port2, () => {})
  return Object.assign(port1, { terminate: () => port1.close() })
}`
