/** Tools that change the served lists, so that the suite can check the notifications. */

import type { PageMcp } from 'pagemcp'
import type { Register } from './tools.ts'

export function serveHooks(mcp: PageMcp, tool: Register) {
  let removeTool: (() => void) | undefined
  tool(
    { name: 'test_trigger_tool_change', description: 'Adds a tool, or takes it away again.' },
    () => {
      if (removeTool === undefined) {
        const description = 'Comes and goes.'
        removeTool = mcp.tool({ name: 'test_passing_tool', description }, () => 'still here')
        return 'A tool was added.'
      }
      removeTool()
      removeTool = undefined
      return 'A tool was taken away.'
    },
  )
  let removePrompt: (() => void) | undefined
  tool(
    { name: 'test_trigger_prompt_change', description: 'Adds a prompt, or takes it away again.' },
    () => {
      if (removePrompt === undefined) {
        const description = 'Comes and goes.'
        removePrompt = mcp.prompt({ name: 'test_passing_prompt', description }, () => 'still here')
        return 'A prompt was added.'
      }
      removePrompt()
      removePrompt = undefined
      return 'A prompt was taken away.'
    },
  )
}
