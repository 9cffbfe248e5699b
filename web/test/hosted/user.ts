/** A user with OAuth clients of both TypeScript SDKs: it signs in at the demo and follows its redirects, as a browser does. */

import assert from 'node:assert/strict'
import {
  auth,
  Client as ModernClient,
  StreamableHTTPClientTransport as ModernHttp,
  UnauthorizedError as ModernUnauthorized,
  type OAuthClientProvider,
} from '@modelcontextprotocol/client'
import {
  type OAuthClientProvider as ClassicProvider,
  UnauthorizedError,
} from '@modelcontextprotocol/sdk/client/auth.js'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import { recordTransport } from '../harness/record.ts'
import type { Hosted } from './kit.ts'

type Tokens = Exclude<Awaited<ReturnType<OAuthClientProvider['tokens']>>, undefined>

/** What an OAuth client of one user keeps, and what it was sent. */
export interface Login {
  provider: OAuthClientProvider
  tokens?: Tokens
  /** The URLs to which the client sent its user. */
  authorizations: URL[]
  /** The parameters of the last redirect back. */
  callback(): URLSearchParams
}

/** Follows a URL of an authorization as the browser of a signed-in user does; returns the parameters of the redirect. */
export async function signIn(url: string | URL, cookie: string): Promise<URLSearchParams> {
  const response = await fetch(url, { redirect: 'manual', headers: { cookie } })
  return new URL(response.headers.get('location') ?? '').searchParams
}

/** @param keepsRefresh - whether the client stores refresh tokens */
export async function login(hosted: Hosted, user: string, keepsRefresh = true): Promise<Login> {
  const cookie = await hosted.cookie(user)
  const redirectUrl = 'http://127.0.0.1:1/callback'
  let verifier = ''
  let discovered: Awaited<ReturnType<NonNullable<OAuthClientProvider['discoveryState']>>>
  let back = new URLSearchParams()
  const one: Login = {
    authorizations: [],
    callback: () => back,
    provider: {
      redirectUrl,
      clientMetadata: {
        redirect_uris: [redirectUrl],
        client_name: 'story',
        token_endpoint_auth_method: 'none',
      },
      state: () => 'state-of-story',
      clientInformation: () => ({ client_id: 'story' }),
      tokens: () => one.tokens,
      saveTokens(tokens) {
        one.tokens = { ...tokens }
        if (!keepsRefresh) delete one.tokens.refresh_token
      },
      async redirectToAuthorization(url) {
        one.authorizations.push(url)
        back = await signIn(url, cookie)
        assert.equal(back.get('state'), 'state-of-story')
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
  return one
}

/** Connects with the SDK v2; `isNew`: with a login. */
export async function modern(
  url: string,
  login: Login,
  isNew = true,
): Promise<{ client: ModernClient; transport: ModernHttp }> {
  const connect = async () => {
    const transport = new ModernHttp(new URL(url), { authProvider: login.provider })
    const client = new ModernClient(
      { name: 'story', version: '1.0.0' },
      { versionNegotiation: { mode: 'auto' } },
    )
    return { client, transport, done: client.connect(recordTransport('hosted v2', transport)) }
  }
  const first = await connect()
  if (isNew) {
    await assert.rejects(first.done, ModernUnauthorized)
    await first.transport.finishAuth(login.callback())
    const second = await connect()
    await second.done
    return second
  }
  await first.done
  return first
}

/** Connects with the SDK v1. */
export async function classic(
  url: string,
  login: Login,
  isNew = true,
): Promise<{ client: Client; transport: StreamableHTTPClientTransport }> {
  const connect = () => {
    const transport = new StreamableHTTPClientTransport(new URL(url), {
      authProvider: login.provider as unknown as ClassicProvider,
    })
    const client = new Client({ name: 'story', version: '1.0.0' })
    const done = client.connect(recordTransport('hosted v1', transport) as Transport)
    return { client, transport, done }
  }
  const first = connect()
  if (isNew) {
    await assert.rejects(first.done, UnauthorizedError)
    await first.transport.finishAuth(login.callback().get('code') ?? '')
    const second = connect()
    await second.done
    return second
  }
  await first.done
  return first
}

/** An access token of a user, by the login of the SDK v2. */
export async function accessToken(hosted: Hosted, user: string): Promise<string> {
  const one = await login(hosted, user)
  const serverUrl = hosted.mcp
  assert.equal(await auth(one.provider, { serverUrl }), 'REDIRECT')
  const [code, iss] = [one.callback().get('code'), one.callback().get('iss')]
  const options = { serverUrl, authorizationCode: code ?? '', iss: iss ?? undefined }
  assert.equal(await auth(one.provider, options), 'AUTHORIZED')
  return one.tokens?.access_token ?? ''
}

/**
 * Replaces the access token that a client keeps by one that has expired, and its refresh token by the next one: what a
 * client has after a night.
 */
export async function expire(hosted: Hosted, login: Login): Promise<void> {
  await hosted.control({ lifetime: -3600 })
  const body = new URLSearchParams({
    grant_type: 'refresh_token',
    refresh_token: login.tokens?.refresh_token ?? '',
    client_id: 'story',
    resource: hosted.mcp,
  })
  const response = await fetch(new URL('/token', hosted.app), { method: 'POST', body })
  assert.equal(response.status, 200)
  login.tokens = { ...login.tokens, ...((await response.json()) as Tokens) }
  await hosted.control({ lifetime: 3600 })
}
