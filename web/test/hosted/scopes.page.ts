// Scope step-up: an operator who challenges for resources alone, and clients that ask for more when they need it.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { UnauthorizedError as ModernUnauthorized } from '@modelcontextprotocol/client'
import { UnauthorizedError } from '@modelcontextprotocol/sdk/client/auth.js'
import { type Hosted, openPage, startHosted } from './kit.ts'
import { classic, login, modern } from './user.ts'

let hosted: Hosted
before(
  async () => {
    hosted = await startHosted({ config: { assistants: { challengeScopes: ['resources:read'] } } })
  },
  { timeout: 300_000 },
)
after(() => hosted?.close())

test('clients of the SDKs get further scopes', { timeout: 60_000 }, () =>
  hosted.inBrowser('chromium', async (tabs) => {
    const { name } = await openPage(hosted, tabs, 'alice')
    const plan = { name: `${name}__plan` }

    // SDK v1 refreshes before it asks its user, and a refresh grants no further scopes.
    const first = await login(hosted, 'alice', false)
    const old = await classic(hosted.mcp, first)
    assert.equal(first.authorizations[0]?.searchParams.get('scope'), 'resources:read')
    await assert.rejects(old.client.getPrompt(plan), UnauthorizedError)
    assert.equal(first.authorizations[1]?.searchParams.get('scope'), 'resources:read prompts:get')
    await old.transport.finishAuth(first.callback().get('code') ?? '')
    assert.match(JSON.stringify(await old.client.getPrompt(plan)), /milk/)
    await old.client.close()

    const second = await login(hosted, 'alice')
    const { client, transport } = await modern(hosted.mcp, second)
    assert.equal(second.authorizations[0]?.searchParams.get('scope'), 'resources:read')
    await assert.rejects(client.getPrompt(plan), ModernUnauthorized)
    assert.equal(second.authorizations[1]?.searchParams.get('scope'), 'resources:read prompts:get')
    await transport.finishAuth(second.callback())
    assert.match(JSON.stringify(await client.getPrompt(plan)), /milk/)
    await client.close()
  }),
)
