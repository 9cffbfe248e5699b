/** The prompts of the suite. */

import { elicit, type PageMcp, type Prompt, type PromptHandler } from 'pagemcp'
import type { Panel } from '../shared/panel.ts'
import { image } from './media.ts'

/** Registers them, and returns their names. */
export function servePrompts(mcp: PageMcp, { noted }: Panel): string[] {
  const names: string[] = []
  const prompt = (description: Prompt, handler: PromptHandler) => {
    mcp.prompt(description, noted('prompt', description.name, handler))
    names.push(description.name)
  }
  prompt(
    { name: 'test_simple_prompt', description: 'A prompt without arguments.' },
    () => 'This is a simple prompt for testing.',
  )
  prompt(
    {
      name: 'test_prompt_with_arguments',
      description: 'A prompt that repeats its two arguments.',
      arguments: [
        { name: 'arg1', description: 'The first argument', required: true },
        { name: 'arg2', description: 'The second argument', required: true },
      ],
      complete: {
        arg1: ['paris', 'park', 'party', 'hello', 'help'],
        arg2: (value, { arguments: { arg1 } }) =>
          [`${arg1 ?? 'no'} world`, `${arg1 ?? 'no'} parade`].filter((one) => one.includes(value)),
      },
    },
    ({ arg1, arg2 }) => `Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`,
  )
  prompt(
    {
      name: 'test_prompt_with_embedded_resource',
      description: 'A prompt that brings a resource along.',
      arguments: [{ name: 'resourceUri', description: 'URI of the resource', required: true }],
    },
    ({ resourceUri: uri = '' }) => [
      {
        role: 'user',
        content: {
          type: 'resource',
          resource: {
            uri,
            mimeType: 'text/plain',
            text: 'Embedded resource content for testing.',
          },
        },
      },
      {
        role: 'user',
        content: { type: 'text', text: 'Please process the embedded resource above.' },
      },
    ],
  )
  prompt({ name: 'test_prompt_with_image', description: 'A prompt that shows an image.' }, () => [
    { role: 'user', content: image },
    { role: 'user', content: { type: 'text', text: 'Please analyze the image above.' } },
  ])
  prompt(
    {
      name: 'test_input_required_result_prompt',
      description: 'A prompt that first asks for its context.',
    },
    (_, request) => {
      const { user_context } = request.need({
        user_context: elicit('What context should the prompt use?', {
          type: 'object',
          properties: { context: { type: 'string' } },
          required: ['context'],
        }),
      })
      const context = user_context.action === 'accept' ? user_context.content.context : 'none'
      return `Use this context: ${context}`
    },
  )
  return names
}
