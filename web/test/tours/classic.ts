/** The TypeScript SDK v1 as a guide: revision 2025-11-25, over any of its transports. */

import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import {
  CallToolResultSchema,
  CreateMessageRequestSchema,
  ElicitRequestSchema,
  ListRootsRequestSchema,
  ResourceUpdatedNotificationSchema,
  ToolListChangedNotificationSchema,
} from '@modelcontextprotocol/sdk/types.js'
import { answers, blocks, changes, filled, first, type Guide, timeout } from './guide.ts'

const options = { timeout }

/** Connects. */
export async function classicGuide(transport: Transport): Promise<Guide> {
  const client = new Client(
    { name: 'tour', version: '1.0.0' },
    { capabilities: { elicitation: { form: {} }, sampling: {}, roots: {} } },
  )
  client.setRequestHandler(ElicitRequestSchema, ({ params }) => ({
    action: 'accept',
    content: filled('requestedSchema' in params ? params.requestedSchema : undefined),
  }))
  client.setRequestHandler(CreateMessageRequestSchema, () => ({
    model: 'tour',
    role: 'assistant',
    content: { type: 'text', text: answers.sampled },
  }))
  client.setRequestHandler(ListRootsRequestSchema, () => ({ roots: answers.roots }))
  const updates = new Map<string, ReturnType<typeof changes>>()
  client.setNotificationHandler(ResourceUpdatedNotificationSchema, ({ params }) =>
    updates.get(params.uri)?.came(),
  )
  const tools = changes()
  client.setNotificationHandler(ToolListChangedNotificationSchema, () => tools.came())
  let revision = ''
  const versioned = transport as { setProtocolVersion?: (version: string) => void }
  const setVersion = versioned.setProtocolVersion?.bind(transport)
  versioned.setProtocolVersion = (version) => {
    revision = version
    setVersion?.(version)
  }
  await client.connect(transport, options)
  return {
    get revision() {
      return revision
    },
    notFound: -32002,
    resources: async () =>
      (await client.listResources(undefined, options)).resources.map(({ uri }) => uri),
    templates: async () =>
      (await client.listResourceTemplates(undefined, options)).resourceTemplates.map(
        ({ uriTemplate }) => uriTemplate,
      ),
    read: async (uri) => first((await client.readResource({ uri }, options)).contents),
    complete: async (ref, name, value) =>
      (await client.complete({ ref, argument: { name, value } }, options)).completion.values,
    prompts: async () =>
      (await client.listPrompts(undefined, options)).prompts.map(({ name }) => name),
    prompt: async (name, args) =>
      blocks(
        (await client.getPrompt({ name, arguments: args }, options)).messages.map(
          ({ content }) => content,
        ),
      ),
    tools: async () => (await client.listTools(undefined, options)).tools.map(({ name }) => name),
    async call(name, args, { progress, signal } = {}) {
      const onprogress =
        progress &&
        ((at: { progress: number; total?: number | undefined }) => progress(at.progress, at.total))
      const result = await client.callTool({ name, arguments: args }, CallToolResultSchema, {
        ...options,
        ...(onprogress && { onprogress }),
        ...(signal && { signal }),
      })
      return {
        ...blocks(result.content as object[]),
        structured: result.structuredContent,
        isError: result.isError === true,
      }
    },
    async watch(what) {
      if (what === 'tools') return { next: tools.next, end: async () => {} }
      const news = changes()
      updates.set(what.uri, news)
      await client.subscribeResource(what, options)
      return {
        next: news.next,
        async end() {
          await client.unsubscribeResource(what, options)
        },
      }
    },
    close: () => client.close(),
  }
}
