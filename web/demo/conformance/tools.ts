/** The tools of the suite that send no requests to the client. */

import { type CallRequest, type PageMcp, type Tool, type ToolAnswer, ToolError } from 'pagemcp'
import type { Panel } from '../shared/panel.ts'
import { image, pause, png, wav } from './media.ts'

/** The time between steps of slow tools. */
const step = 50 // ms

/** Registers a tool. */
export type Register = (
  description: Tool,
  handler: (
    args: Record<string, unknown>,
    request: CallRequest,
  ) => ToolAnswer | Promise<ToolAnswer>,
) => () => void

/** Registers tools and collects their names. */
export function registrar(mcp: PageMcp, { noted }: Panel, names: string[]): Register {
  return (description, handler) => {
    const remove = mcp.tool(description, noted('tool', description.name, handler))
    names.push(description.name)
    return remove
  }
}

export function serveTools(tool: Register) {
  tool(
    { name: 'test_simple_text', description: 'Answers with a text.' },
    () => 'This is a simple text response for testing.',
  )
  tool({ name: 'test_image_content', description: 'Answers with an image.' }, () => image)
  tool({ name: 'test_audio_content', description: 'Answers with a sound.' }, () => ({
    type: 'audio',
    data: wav,
    mimeType: 'audio/wav',
  }))
  tool({ name: 'test_embedded_resource', description: 'Answers with a resource.' }, () => ({
    type: 'resource',
    resource: {
      uri: 'test://embedded-resource',
      mimeType: 'text/plain',
      text: 'This is an embedded resource content.',
    },
  }))
  tool(
    { name: 'test_multiple_content_types', description: 'Answers with text, image and resource.' },
    () => [
      { type: 'text', text: 'Multiple content types test:' },
      { type: 'image', data: png, mimeType: 'image/png' },
      {
        type: 'resource',
        resource: {
          uri: 'test://mixed-content-resource',
          mimeType: 'application/json',
          text: '{"test":"data","value":123}',
        },
      },
    ],
  )
  tool({ name: 'test_error_handling', description: 'Always fails.' }, () => {
    throw new ToolError('This tool intentionally returns an error for testing')
  })
  tool(
    { name: 'test_tool_with_progress', description: 'Tells of its progress in three steps.' },
    async (_, request) => {
      for (const done of [0, 50, 100]) {
        request.progress(done, 100, `Completed step ${done} of 100`)
        await pause(step, request.signal)
      }
      return 'Tool with progress has completed.'
    },
  )
  const logs = async (request: CallRequest) => {
    request.log('info', 'Tool execution started')
    await pause(step, request.signal)
    request.log('info', 'Tool processing data')
    await pause(step, request.signal)
    request.log('info', 'Tool execution completed')
    return 'Tool with logging has completed.'
  }
  tool({ name: 'test_tool_with_logging', description: 'Sends three log messages.' }, (_, request) =>
    logs(request),
  )
  tool(
    { name: 'test_logging_tool', description: 'Logs, if the request says that it may.' },
    (_, request) => logs(request),
  )
  tool(
    {
      name: 'json_schema_2020_12_tool',
      description: 'Tool with JSON Schema 2020-12 features',
      inputSchema: {
        $schema: 'https://json-schema.org/draft/2020-12/schema',
        type: 'object',
        $defs: {
          address: {
            $anchor: 'addressDef',
            type: 'object',
            properties: { street: { type: 'string' }, city: { type: 'string' } },
          },
        },
        properties: {
          name: { type: 'string' },
          address: { $ref: '#/$defs/address' },
          contactMethod: { type: 'string', enum: ['phone', 'email'] },
          phone: { type: 'string' },
          email: { type: 'string' },
        },
        allOf: [{ anyOf: [{ required: ['phone'] }, { required: ['email'] }] }],
        if: { properties: { contactMethod: { const: 'phone' } }, required: ['contactMethod'] },
        // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
        then: { required: ['phone'] },
        else: { required: ['email'] },
        additionalProperties: false,
      },
    },
    (args) => `Called with ${Object.keys(args).sort().join(', ')}.`,
  )
  tool(
    {
      name: 'test_x_mcp_header',
      description: 'Has an argument that clients repeat in an HTTP header.',
      inputSchema: {
        type: 'object',
        properties: {
          region: { type: 'string', 'x-mcp-header': 'Region' },
          level: { type: 'integer' },
        },
      },
    },
    ({ region = 'nowhere', level = 0 }) => `Region ${region}, level ${level}.`,
  )
  tool(
    {
      name: 'test_structured_content',
      description: 'Adds two numbers, and answers with an object of its output schema.',
      inputSchema: {
        type: 'object',
        properties: { a: { type: 'number' }, b: { type: 'number' } },
        required: ['a', 'b'],
      },
      outputSchema: {
        type: 'object',
        properties: { sum: { type: 'number' } },
        required: ['sum'],
      },
      annotations: { readOnlyHint: true },
    },
    ({ a, b }) => ({ sum: Number(a) + Number(b) }),
  )
  tool(
    { name: 'test_slow', description: 'Takes ten minutes, unless it is cancelled.' },
    async (_, request) => {
      for (let minute = 0; minute < 600; minute += 1) {
        request.progress(minute, 600)
        await pause(1000, request.signal)
      }
      return 'Nobody has cancelled this.'
    },
  )
}
