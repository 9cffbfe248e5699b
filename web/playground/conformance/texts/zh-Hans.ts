import type { Messages } from '../../locale/texts.ts'

export const conformance: Messages['conformance'] = {
  title: '一致性',
  about: '在两个时代向 {server} 发送读取、列表、订阅和格式错误的消息，检查 {count} 项要求。',
  run: '检查',
  stop: '停止',
  mayCall: '允许调用不存在的工具',
  passed: '通过',
  failed: '未通过',
  none: '不适用',
  others: '未检查的项目及原因',
}
