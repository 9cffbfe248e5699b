/** Texts of the board, in simplified Chinese. */

import type { BoardTexts } from './en.ts'

export const texts: BoardTexts = {
  name: '便笺板',
  description: '一块便笺板：每个打开的标签页是一张便笺，助手可以通过 PageMCP 全部读取。',
  lead: '本页每个打开的标签页都是一张便笺。每个标签页都显示所有便笺；助手只要连上其中一个标签页，就能读取全部。',
  instructions:
    '一块便笺板：每个打开的标签页是一张便笺。tab:///{id}/text 是一个标签页的便笺；tab:/// 列出标签页。',
  all: '所有标签页',
  count: { other: '{count} 个标签页' },
  ownNote: '此标签页的便笺',
  hint: '在此标签页上写点什么…',
  emptyNote: '空便笺',
  thisTab: '此标签页',
  open: '可见',
  background: '在后台',
  lastUsed: '最近使用',
  changed: '{when} 修改',
  readAt: '{when} 读取',
  another: '再打开一个标签页',
  anotherText: '它会立刻成为这里的一张便笺。',
  closed: '便笺“{title}”已随标签页关闭。',
  reopen: '重新打开',
  offered: '可读取：板上的便笺，以及本站打开的标签页的标题。此浏览器的其他内容不会提供。',
  question: '“我的便笺板上写了什么？”',
  list: '标签页列表',
  goneNote: '已关闭的标签页',
  known: '助手看到的 URI：{uri}',
  seed: '周六要带的东西\n\n– 折叠椅\n– 大帐篷\n– 木炭',
}
