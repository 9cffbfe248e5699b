/** The TypeScript SDK v2 as a guide: in each of its three modes. */

import { Client, type Transport } from '@modelcontextprotocol/client'
import { answers, blocks, changes, filled, first, type Guide, timeout } from './guide.ts'

const options = { timeout }

/** How the client finds out what it speaks: as it was born, by asking, or by being told. */
export type Mode = 'legacy' | 'auto' | 'pinned'

/** Connects. */
export async function modernGuide(mode: Mode, transport: Transport): Promise<Guide> {
  const modes = { legacy: undefined, auto: 'auto', pinned: { pin: '2026-07-28' } } as const
  const chosen = modes[mode]
  const client = new Client(
    { name: 'tour', version: '1.0.0' },
    {
      capabilities: { elicitation: { form: {} }, sampling: {}, roots: {} },
      ...(chosen && { versionNegotiation: { mode: chosen } }),
    },
  )
  client.setRequestHandler('elicitation/create', ({ params }) => ({
    action: 'accept',
    content: filled('requestedSchema' in params ? params.requestedSchema : undefined),
  }))
  client.setRequestHandler('sampling/createMessage', () => ({
    model: 'tour',
    role: 'assistant',
    content: { type: 'text', text: answers.sampled },
  }))
  client.setRequestHandler('roots/list', () => ({ roots: answers.roots }))
  const updates = new Map<string, ReturnType<typeof changes>>()
  client.setNotificationHandler('notifications/resources/updated', ({ params }) =>
    updates.get(params.uri)?.came(),
  )
  const tools = changes()
  client.setNotificationHandler('notifications/tools/list_changed', () => tools.came())
  await client.connect(transport, options)
  const revision = client.getNegotiatedProtocolVersion() ?? ''
  return {
    revision,
    notFound: -32602, // in the older revisions too: it translates what it gets
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
      const result = await client.callTool(
        { name, arguments: args },
        {
          ...options,
          ...(progress && { onprogress: (at) => progress(at.progress, at.total) }),
          ...(signal && { signal }),
        },
      )
      return {
        ...blocks(result.content),
        structured: result.structuredContent,
        isError: result.isError === true,
      }
    },
    async watch(what) {
      const news = what === 'tools' ? tools : changes()
      if (what !== 'tools') updates.set(what.uri, news)
      if (revision === '2026-07-28') {
        const filter =
          what === 'tools' ? { toolsListChanged: true } : { resourceSubscriptions: [what.uri] }
        const subscription = await client.listen(filter, options)
        return { next: news.next, end: () => subscription.close() }
      }
      if (what === 'tools') return { next: news.next, end: async () => {} }
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
