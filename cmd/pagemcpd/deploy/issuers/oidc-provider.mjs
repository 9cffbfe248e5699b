/**
 * The settings of oidc-provider 9, an authorization server for Node, that the hosted gateway and MCP clients need:
 * access tokens as JWTs for the gateway, and clients that register themselves. web/test/hosted/issuer.page.ts signs in
 * with both TypeScript SDKs by them. Merge them with your own: accounts, interactions, a signing key (`jwks`), an adapter.
 *
 *     new Provider('https://auth.app.example', { ...own, ...pagemcp('https://mcp.app.example/mcp') })
 */

const scopes = ['resources:read', 'prompts:get', 'tools:call']

/** @param {string} mcp - publicURL of the gateway, and /mcp */
export const pagemcp = (mcp) => ({
  scopes: ['openid', 'offline_access', ...scopes],
  // Assistants are public clients: they have no secret, and use PKCE.
  clientAuthMethods: ['none', 'client_secret_basic', 'client_secret_post'],
  // Clients that register do not choose the algorithm of id tokens, and the default is RS256.
  clientDefaults: { id_token_signed_response_alg: 'ES256' },
  features: {
    registration: { enabled: true },
    resourceIndicators: {
      enabled: true,
      defaultResource: () => mcp, // for clients that name none
      useGrantedResource: () => true,
      getResourceServerInfo(_context, resource) {
        // One endpoint for all pages of a user, and one for each page: /mcp/{page}. Both take the same audience.
        if (resource !== mcp && !resource.startsWith(`${mcp}/`)) throw new Error(`there is no ${resource}`)
        return {
          scope: scopes.join(' '),
          audience: mcp,
          accessTokenFormat: 'jwt', // RFC 9068, with the type at+jwt
          accessTokenTTL: 60 * 60, // s; the gateway accepts up to 24 h
          jwt: { sign: { alg: 'ES256' } },
        }
      },
    },
  },
})
