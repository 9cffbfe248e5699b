import type { Messages } from '../../locale/texts.ts'

export const apps: Messages['apps'] = {
  open: '打开应用',
  none: '所选消息没有应用。',
  failed: '{uri} 不是应用：{reason}',
  flood: '应用发送过多，已关闭。',
  runs: '此应用是服务器的页面，包含脚本。它无法读取本页面，但可以通过 WebRTC 将其内容和输入发送到任意地址，大多数浏览器无法阻止。',
  run: '运行应用',
  needs: '它还使用：',
  call: '调用工具：',
  link: '链接：',
  said: '应用消息：',
}
