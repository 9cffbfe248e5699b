/** Texts of every demo, in simplified Chinese. */
import type { Shared } from './en.ts'

export const texts: Shared = {
  home: 'PageMCP，首页',
  language: '语言',
  watch: '在演练场中监控',
  newTab: '在新标签页中打开',
  starting: '正在启动',
  looking: '正在查找网关',
  joined: '已加入，名称为 {name}',
  away: '网关无响应',
  notPaired: '未配对',
  refused: '被拒绝',
  notServed: '未提供',
  awayAdvice: '网关没有响应。网关恢复后，本页会自动重新加入。“pagemcp dev”还在运行吗？',
  pairAdvice:
    '助手还读不到本页。请打开“pagemcp dev”在终端里显示的链接；在那里按回车键会得到新链接。',
  linkAdvice: '链接已过期，或者已经用过。请在运行“pagemcp dev”的终端里按回车键，再打开新链接。',
  otherAdvice: '此链接是另一个网关的邀请。本页加入的是 {gateway}：请打开该网关显示的链接。',
  failAdvice: '引擎没有启动：{reason}',
  stopAdvice: '引擎已停止。请重新加载本页；如果没有用，请查看控制台。',
  retry: '重试',
  explain: '解决办法',
  undo: '撤销',
  reads: '助手读过的内容',
  requests: '请求，最新的在前',
  nothing: '还没有助手请求过什么。',
  connectAndAsk: '连接一个助手，然后问：{question}',
  kind: { read: '读取', tool: '工具', prompt: '提示词' },
  outcome: { answered: '成功', asks: '询问', failed: '失败' },
}
