/** The settings for oidc-provider that web/docs/hosted.md names: clients register, sign in, and reach the pages of their user. */

import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, test } from 'node:test'
import type { OAuthClientProvider } from '@modelcontextprotocol/client'
import { Provider } from 'oidc-provider'
import { pagemcp } from '../../../cmd/pagemcpd/deploy/issuers/oidc-provider.mjs'
import { type Hosted, openPage, startHosted } from './kit.ts'
import { classic, type Login, modern } from './user.ts'

const timeout = 60_000 // ms
const redirectUrl = 'http://127.0.0.1:1/callback'

let hosted: Hosted
let server: Server

before(
  async () => {
    server = createServer().listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    const issuer = `http://127.0.0.1:${port}` // of this machine; elsewhere the gateway requires https
    server.on('request', (...exchange) => answer(...exchange))
    hosted = await startHosted({ config: { assistants: { issuer } } })
  },
  { timeout: 300_000 },
)
after(async () => {
  await hosted?.close()
  server?.closeAllConnections()
  server?.close()
})

/** The key set is there before the gateway starts, and the gateway's address only after it. */
const key = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ format: 'jwk' })
let provider: { mcp: string; answer: ReturnType<Provider['callback']> } | undefined

function answer(...exchange: Parameters<ReturnType<Provider['callback']>>): void {
  const mcp = hosted?.mcp ?? 'https://mcp.app.example/mcp'
  if (provider?.mcp !== mcp) {
    const { port } = server.address() as AddressInfo
    const settings = pagemcp(mcp)
    const made = new Provider(`http://127.0.0.1:${port}`, {
      ...settings,
      // A form that accepts every name: the accounts of the company take its place.
      features: { ...settings.features, devInteractions: { enabled: true } },
      findAccount: (_: unknown, name: string) => ({
        accountId: name,
        claims: () => ({ sub: name }),
      }),
      jwks: { keys: [{ ...key, alg: 'ES256', use: 'sig', kid: 'issuer-1' }] },
      cookies: { keys: ['cookies of the test'] },
      ttl: { AccessToken: 3600, Grant: 3600, Interaction: 3600, RefreshToken: 3600, Session: 3600 }, // s
    })
    provider = { mcp, answer: made.callback() }
  }
  provider.answer(...exchange)
}

/** Signs in and consents as a person does in a browser, with its cookies; returns the parameters of the last redirect. */
async function signIn(start: URL, user: string): Promise<URLSearchParams> {
  const cookies = new Map<string, string>()
  let url = start
  let form: URLSearchParams | undefined
  for (let step = 0; step < 10; step++) {
    const response = await fetch(url, {
      method: form ? 'POST' : 'GET',
      redirect: 'manual',
      headers: { cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; ') },
      ...(form && { body: form }),
    })
    for (const cookie of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(cookie) ?? []
      cookies.set(name, value)
    }
    const location = response.headers.get('location')
    form = undefined
    if (location === null) {
      const page = await response.text()
      const prompt = /name="prompt" value="(\w+)"/.exec(page)?.[1]
      assert.ok(prompt, `status ${response.status}: ${page.slice(0, 2000)}`)
      form = new URLSearchParams({ prompt, login: user, password: 'any' })
      continue
    }
    url = new URL(location, url)
    if (url.href.startsWith(redirectUrl)) return url.searchParams
  }
  throw new Error(`the sign-in has not come to its end: ${url}`)
}

/** A client that knows the address of the gateway alone: it finds the issuer, and registers there. */
function newLogin(user: string): Login {
  let verifier = ''
  let registered: Awaited<ReturnType<OAuthClientProvider['clientInformation']>>
  let discovered: Awaited<ReturnType<NonNullable<OAuthClientProvider['discoveryState']>>>
  let back = new URLSearchParams()
  const login: Login = {
    authorizations: [],
    callback: () => back,
    provider: {
      redirectUrl,
      clientMetadata: {
        redirect_uris: [redirectUrl],
        client_name: 'story',
        application_type: 'native',
        token_endpoint_auth_method: 'none',
        grant_types: ['authorization_code', 'refresh_token'],
        response_types: ['code'],
      },
      clientInformation: () => registered,
      saveClientInformation(information) {
        registered = information
      },
      tokens: () => login.tokens,
      saveTokens(tokens) {
        login.tokens = tokens
      },
      async redirectToAuthorization(url) {
        login.authorizations.push(url)
        back = await signIn(url, user)
      },
      saveCodeVerifier(text) {
        verifier = text
      },
      codeVerifier: () => verifier,
      saveDiscoveryState(state) {
        discovered = state
      },
      discoveryState: () => discovered,
    },
  }
  return login
}

test('clients of both SDKs register at oidc-provider, sign in and read', { timeout }, () =>
  hosted.inBrowser('chromium', async (tabs) => {
    const { name } = await openPage(hosted, tabs, 'alice')
    const uri = `${name}+shop://list`
    for (const connect of [classic, modern]) {
      const alice = newLogin('alice')
      const { client } = await connect(hosted.mcp, alice)
      assert.match(JSON.stringify(await client.readResource({ uri })), /milk/)
      await client.close()
      const [header = '', claims = ''] = (alice.tokens?.access_token ?? '').split('.')
      const decoded = (part: string) => JSON.parse(Buffer.from(part, 'base64url').toString())
      assert.equal(decoded(header).typ, 'at+jwt')
      assert.deepEqual([decoded(claims).sub, decoded(claims).aud], ['alice', hosted.mcp])

      const bob = await connect(hosted.mcp, newLogin('bob'))
      assert.deepEqual((await bob.client.listResources()).resources, [])
      await bob.client.close()
    }
  }),
)

test('a client of one page signs in for its endpoint', { timeout }, () =>
  hosted.inBrowser('chromium', async (tabs) => {
    const { name } = await openPage(hosted, tabs, 'alice')
    const { client } = await modern(`${hosted.mcp}/${name}`, newLogin('alice'))
    assert.match(JSON.stringify(await client.readResource({ uri: 'shop://list' })), /milk/)
    await client.close()
  }),
)
