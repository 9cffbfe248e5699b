import type { Messages } from '../../locale/texts.ts'

export const base: Messages['base'] = {
  loading: '正在加载…',
  failedToLoad: '这一部分未能加载：{reason}。请重试，或重新加载页面。',
  tryAgain: '重试',
  copied: '已复制到剪贴板',
  notCopied: '未能复制：浏览器不允许访问剪贴板',
}
