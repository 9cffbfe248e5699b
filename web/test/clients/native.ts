/**
 * The stories against a page without a browser: server/typescript_test.go starts this, and says in its argument where
 * everything is.
 */

import * as stories from './stories.ts'

interface Setting {
  mcp: string
  token: string
  open: string // a gateway without a token
  page: string // writes into the page
  uri: string
  stdio: stories.Command
}

const setting = JSON.parse(process.argv[2] ?? '') as Setting
const subject: stories.Subject = {
  uri: setting.uri,
  missing: `${setting.uri}/none`,
  text: '',
  async write(text) {
    const answer = await fetch(setting.page, { method: 'POST', body: text })
    if (!answer.ok) throw new Error(`the page answered ${answer.status}`)
  },
}
const at = { mcp: setting.mcp, token: setting.token }
const told: [string, () => Promise<void>][] = [
  ['v1 over HTTP', () => stories.classicOverHttp(at, subject)],
  ['v2 over HTTP', () => stories.modernOverHttp(at, subject)],
  ['v2, automatic', () => stories.automaticOverHttp(at, subject)],
  ['v1 over WebSocket', () => stories.classicOverSocket({ mcp: setting.open }, subject)],
  ['v1 over stdio', () => stories.classicOverStdio(setting.stdio, subject)],
  ['v2 over stdio', () => stories.modernOverStdio(setting.stdio, subject)],
]
for (const [name, story] of told) {
  try {
    await story()
    console.log(`ok ${name}`)
  } catch (error) {
    console.log(`FAILED ${name}: ${error instanceof Error ? error.stack : error}`)
    process.exitCode = 1
  }
}
process.exit() // a client may keep the process alive
