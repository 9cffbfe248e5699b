/** A Firefox ESR with the extension, installed for good: the archive lies in the profile. */

import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser, Page } from 'puppeteer-core'
import { launch } from '../harness/launch.ts'
import { type Kit, type Person, personAt } from './person.ts'
import { xpi } from './xpi.ts'

const ours = join(import.meta.dirname, '../../../dist/extension-firefox')

const id = 'extension@pagemcp.github.io'

/** Firefox makes one up for each installation, unless its preferences have one. */
const uuid = '0f4a7a52-9c1e-4d2b-8f3a-6b5c4d3e2f10'
const origin = `moz-extension://${uuid}`

export const firefox: Kit = {
  origin,

  /** Sites are granted by Firefox's own prompt, which a test can answer. */
  async install(_sites, built = ours) {
    if (!existsSync(built)) throw new Error(`${built} is missing: run bin/pagemcp build`)
    const directory = await mkdtemp(join(tmpdir(), 'pagemcp-extension-'))
    const profile = join(directory, 'profile')
    await mkdir(join(profile, 'extensions'), { recursive: true })
    await writeFile(
      join(profile, 'extensions', `${id}.xpi`),
      built.endsWith('.zip') ? await readFile(built) : await xpi(built),
    )
    return {
      extension: built,
      profile,
      remove: () => rm(directory, { recursive: true, force: true, maxRetries: 10 }),
    }
  },

  async arrive({ profile }) {
    const browser = await launch('firefox', {
      profile,
      flags: ['--remote-allow-system-access'], // for inWindow
      preferences: {
        'extensions.autoDisableScopes': 0,
        'extensions.webextensions.uuids': JSON.stringify({ [id]: uuid }),
        'security.notification_enable_delay': 0, // ms; buttons of prompts wait for it
        'xpinstall.signatures.required': false, // a setting that Firefox ESR has
      },
    })
    return personAt(
      browser,
      origin,
      (tab) => show(browser, tab),
      (popup) => ({
        async allow(asks) {
          if (asks) await answerPrompt(browser, 'button')
        },
        async refuse(tab, site) {
          await popup.bringToFront()
          await popup.click(`#tab-${tab}`)
          const text = await answerPrompt(browser, 'secondaryButton')
          assert.ok(text.includes(new URL(site).hostname), text)
        },
      }),
    )
  },
}

/** Clicks a button of Firefox's prompt for a site; returns its text. */
function answerPrompt(browser: Browser, button: 'button' | 'secondaryButton'): Promise<string> {
  return inWindow(
    browser,
    `async (button) => {
      const find = () => document.querySelector('#addon-webext-permissions-notification')
      const panel = document.querySelector('#notification-popup')
      while (panel.state !== 'open' || !find())
        await new Promise((shown) => panel.addEventListener('popupshown', shown, { once: true }))
      const prompt = find()
      const text = prompt.textContent
      const hidden = new Promise((done) => panel.addEventListener('popuphidden', done, { once: true }))
      prompt[button].click()
      await hidden
      return text
    }`,
    button,
  )
}

/** Ends the event page, as Firefox does when it is idle. */
export async function suspend(browser: Browser): Promise<void> {
  const state = await inWindow(
    browser,
    `async (id) => {
      const { extension } = WebExtensionPolicy.getByID(id)
      await extension.terminateBackground({ disableResetIdleForTest: true })
      return extension.backgroundState
    }`,
    id,
  )
  assert.equal(state, 'stopped')
}

/** Waits until the event page runs again, without starting it, and then until it has joined the gateway. */
export async function resumed({ browser, popup }: Person): Promise<void> {
  const state = await inWindow(
    browser,
    `async (id) => {
      const { extension } = WebExtensionPolicy.getByID(id)
      if (extension.backgroundState !== 'running')
        await new Promise((started) => extension.once('background-script-started', started))
      return 'running'
    }`,
    id,
  )
  assert.equal(state, 'running')
  await popup.waitForFunction(
    async () => {
      const message = { to: 'background', what: 'overview' }
      const { value } = await chrome.runtime.sendMessage(message)
      return value.status.gateway?.is === 'joined'
    },
    { polling: 100 },
  )
}

/** Grants the permission for a site, or revokes it, as a person does in Firefox's settings. */
export async function setPermission(
  browser: Browser,
  how: 'add' | 'remove',
  site: string,
): Promise<void> {
  const { protocol, hostname } = new URL(site)
  await inWindow(
    browser,
    `async (id) => {
      const { ExtensionPermissions } = ChromeUtils.importESModule('resource://gre/modules/ExtensionPermissions.sys.mjs')
      const wanted = { permissions: [], origins: ['${protocol}//${hostname}/*'], data_collection: [] }
      await ExtensionPermissions.${how}(id, wanted, WebExtensionPolicy.getByID(id).extension)
    }`,
    id,
  )
}

/** Loads the popup. Puppeteer does not notice that a page of an extension has loaded. */
async function show(browser: Browser, tab: Page): Promise<void> {
  const { _id } = tab.mainFrame() as unknown as { _id: string }
  const url = `${origin}/popup.html`
  await send(browser, 'browsingContext.navigate', { context: _id, url, wait: 'complete' })
}

/** The result of a function in the browser's window, which has all of Firefox's rights. */
async function inWindow(browser: Browser, text: string, argument: string): Promise<string> {
  const tree = await send(browser, 'browsingContext.getTree', { 'moz:scope': 'chrome' })
  const [window] = tree.contexts as { context: string }[]
  const { type, result, exceptionDetails } = await send(browser, 'script.callFunction', {
    functionDeclaration: text,
    arguments: [{ type: 'string', value: argument }],
    awaitPromise: true,
    target: { context: window?.context },
  })
  assert.equal(type, 'success', JSON.stringify(exceptionDetails))
  return String((result as { value?: unknown }).value)
}

/** Sends a command of WebDriver BiDi. */
async function send(browser: Browser, method: string, params: object) {
  const { connection } = browser as unknown as {
    connection: {
      send(method: string, params: object): Promise<{ result: Record<string, unknown> }>
    }
  }
  return (await connection.send(method, params)).result
}
