import type { Messages } from '../texts.ts'

export const conformance: Messages['conformance'] = {
  title: '一致性',
  command: '检查一致性…',
  about:
    '在两个时代中检查 {server} 是否符合 MCP 的 {count} 项要求。会发送读取、列表、订阅和格式错误的消息，时间线会显示它们。',
  run: '检查',
  stop: '停止',
  mayCall: '允许以不存在的名称调用工具',
  passed: '通过',
  failed: '未通过',
  none: '不适用',
  show: '显示消息',
  others: '未检查的项目及原因',
}
