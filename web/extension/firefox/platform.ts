/**
 * Firefox: the background is an event page, a document in which the engine runs. Firefox suspends it after 30 s
 * without an event or a call of an extension API; an open WebSocket does not count. While the engine runs, an alarm
 * is such an event. It also starts the page again after it has ended, by suspension or by a crash.
 */

import { runEngine } from '../engine.ts'
import { type Platform, stopTimeout } from '../engine-host.ts'
import { type Parts, within } from '../messages.ts'
import { serialQueue } from '../queue.ts'

const alarm = 'engine'

/** Less than the 30 s of Firefox's `extensions.background.idle.timeout`. */
const alarmPeriod = 20 / 60 // minutes

export const engineHost: Platform['engineHost'] = (host) => {
  const enqueue = serialQueue() // the switch may be used again while the engine stops
  let engine: Parts['engine'] | undefined
  // The event itself counts. An engine that was never joined does not start by itself: then the alarm ends.
  chrome.alarms.onAlarm.addListener(() => {
    void enqueue(async () => {
      if (engine === undefined) await chrome.alarms.clear(alarm)
    })
  })
  return {
    start: () =>
      enqueue(async () => {
        if (engine !== undefined) return
        await chrome.alarms.create(alarm, { periodInMinutes: alarmPeriod })
        engine = runEngine(host)
        void host.started()
      }),
    stop: () =>
      enqueue(async () => {
        await chrome.alarms.clear(alarm)
        const stopped = engine?.stop()
        engine = undefined
        await within(Promise.resolve(stopped), stopTimeout).catch(() => {}) // then without last messages
      }),
    running: async () => engine,
  }
}

/** Patterns of Firefox have no port: its permission is for all ports of a host, and consent is for one. */
export const permissionFor: Platform['permissionFor'] = (site) => {
  const { protocol, hostname } = new URL(site)
  return { origins: [`${protocol}//${hostname}/*`] }
}

/** Firefox has no such setting. The extension's only content script, text.ts, uses no storage. */
export const restrictStorage: Platform['restrictStorage'] = () => {}
