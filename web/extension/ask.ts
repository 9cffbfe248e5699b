/** The window that asks whether an assistant may use the tools of a site. It closes when the question is answered, or over. */

import { questionOf, showDialog } from '../src/access/dialog.ts'
import type { SiteQuestion } from './asking.ts'
import { uiLanguage } from './popup.texts.ts'
import { questionPort } from './wire.ts'

const port = chrome.runtime.connect({ name: questionPort })
const over = new AbortController()

async function close() {
  over.abort()
  const { id } = await chrome.windows.getCurrent()
  if (id !== undefined) await chrome.windows.remove(id)
}

port.onDisconnect.addListener(close)
port.onMessage.addListener(async ({ asked, site }: SiteQuestion) => {
  const about = { app: new URL(site).host, title: undefined, origin: site, wanted: [uiLanguage()] }
  const shown = questionOf(asked, about, Date.now())
  const kept = shown.choices.filter(([choice]) => choice !== 'always' && choice !== 'tool-session')
  const notes = asked.tool?.destructive ? [] : shown.notes.slice(0, 1) // until when, for the choice that stays
  port.postMessage(await showDialog({ ...shown, notes, choices: kept }, over.signal))
  await close()
})
