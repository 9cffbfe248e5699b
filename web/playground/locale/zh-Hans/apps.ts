import type { Messages } from '../texts.ts'

export const apps: Messages['apps'] = {
  open: '打开应用',
  none: '所选消息没有应用。',
  failed: '{uri} 不是应用：{reason}',
  flood: '应用发送过多，已关闭。',
  needs: '此应用使用：',
  call: '调用工具：',
  link: '链接：',
  said: '应用消息：',
}
