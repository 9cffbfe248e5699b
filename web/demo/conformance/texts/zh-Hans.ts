/** Texts of the conformance page, in simplified Chinese. */

import type { ConformanceTexts } from './en.ts'

export const texts: ConformanceTexts = {
  name: '一致性测试',
  description: '由网页提供的 MCP 官方一致性测试用例。',
  lead: '本页提供官方一致性测试和其他客户端所需的测试对象，并显示它们的请求。这里没有个人信息。',
  served: '已提供',
  resources: '资源和模板',
  prompts: '提示词',
  tools: '工具',
}
