/** The tools of the suite that run as tasks. */

import { type ElicitAnswer, elicit, type Tool, ToolError } from 'pagemcp'
import { pause } from './media.ts'
import type { Register } from './tools.ts'

const confirmed = (message: string) =>
  elicit(message, {
    type: 'object',
    properties: { confirm: { type: 'boolean' } },
    required: ['confirm'],
  })
const words = ({ action, content }: ElicitAnswer) =>
  action === 'accept' ? String(content.confirm) : action

const askName = elicit('What is your name?', {
  type: 'object',
  properties: { name: { type: 'string' } },
  required: ['name'],
})

const inputSchema = (properties: Record<string, { type: string }>): Tool['inputSchema'] => ({
  type: 'object',
  properties,
})

export function serveTasks(tool: Register) {
  tool(
    {
      name: 'greet',
      description: 'Greets, at once.',
      inputSchema: inputSchema({ name: { type: 'string' } }),
    },
    ({ name }) => `Hello, ${name}!`,
  )
  tool(
    {
      name: 'slow_compute',
      description: 'Takes as many seconds as it is told.',
      inputSchema: inputSchema({ seconds: { type: 'number' }, label: { type: 'string' } }),
      task: 'optional',
    },
    async ({ seconds = 0, label }, { task }) => {
      task.message(`Computes for ${seconds} s.`)
      await pause(Number(seconds) * 1000, task.signal)
      return `Computed ${label}.`
    },
  )
  tool(
    { name: 'failing_job', description: 'Fails after a second.', task: 'required' },
    async (_, { task }) => {
      await pause(1000, task.signal)
      throw new ToolError('The job has failed.')
    },
  )
  tool(
    {
      name: 'protocol_error_job',
      description: 'Answers with what its output schema does not allow.',
      outputSchema: { type: 'object', required: ['sum'] },
      task: 'optional',
    },
    () => ({}),
  )
  tool(
    {
      name: 'confirm_delete',
      description: 'Deletes nothing, after a confirmation.',
      inputSchema: inputSchema({ filename: { type: 'string' } }),
      task: 'optional',
    },
    async ({ filename }, { task }) => {
      const { confirm } = await task.input({ confirm: confirmed(`Delete ${filename}?`) })
      return `Deleted: ${words(confirm)}`
    },
  )
  tool(
    { name: 'multi_input', description: 'Asks two questions at once.', task: 'optional' },
    async (_, { task }) => {
      const { first, second } = await task.input({
        first: confirmed('The first?'),
        second: confirmed('The second?'),
      })
      return `Answered: ${words(first)}, ${words(second)}`
    },
  )
  tool(
    {
      name: 'test_tool_with_task',
      description: 'Asks for a name before it becomes a task.',
      task: 'required',
      prepare: (_, request) => void request.need({ user_name: askName }),
    },
    (_, request) => {
      const { user_name } = request.need({ user_name: askName })
      return `Hello, ${user_name.action === 'accept' ? user_name.content.name : user_name.action}!`
    },
  )
}
