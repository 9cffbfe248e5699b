/** An assistant in a web page of another origin: the SDK v2 with its OAuth client, by the CORS rules of a browser. */

import {
  Client,
  type OAuthClientProvider,
  StreamableHTTPClientTransport,
  UnauthorizedError,
} from '@modelcontextprotocol/client'

type Tokens = Exclude<Awaited<ReturnType<OAuthClientProvider['tokens']>>, undefined>

interface Story {
  /** Signs a user in at a URL; returns the parameters of the redirect back. The test provides it. */
  signIn(url: string): Promise<string>
  /** Connects and reads a resource. */
  readAs(mcp: string, uri: string): Promise<string>
}
const story = window as unknown as Story

story.readAs = async (mcp, uri) => {
  let tokens: Tokens | undefined
  let verifier = ''
  let back = new URLSearchParams()
  let discovered: Awaited<ReturnType<NonNullable<OAuthClientProvider['discoveryState']>>>
  const redirectUrl = `${location.origin}/callback`
  const authProvider: OAuthClientProvider = {
    redirectUrl,
    clientMetadata: { redirect_uris: [redirectUrl], token_endpoint_auth_method: 'none' },
    clientInformation: () => ({ client_id: 'web-assistant' }),
    tokens: () => tokens,
    saveTokens(saved) {
      tokens = saved
    },
    async redirectToAuthorization(url) {
      back = new URLSearchParams(await story.signIn(String(url)))
    },
    saveCodeVerifier(text) {
      verifier = text
    },
    codeVerifier: () => verifier,
    saveDiscoveryState(state) {
      discovered = state
    },
    discoveryState: () => discovered,
  }
  const connect = async () => {
    const transport = new StreamableHTTPClientTransport(new URL(mcp), { authProvider })
    const client = new Client(
      { name: 'web-assistant', version: '1.0.0' },
      { versionNegotiation: { mode: 'auto' } },
    )
    try {
      await client.connect(transport)
      return client
    } catch (error) {
      if (!(error instanceof UnauthorizedError)) throw error
      await transport.finishAuth(back)
    }
  }
  const client = (await connect()) ?? (await connect())
  const result = await client?.readResource({ uri })
  await client?.close()
  return JSON.stringify(result)
}
