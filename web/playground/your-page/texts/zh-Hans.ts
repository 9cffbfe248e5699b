import type { Messages } from '../../locale/texts.ts'

export const yourPage: Messages['yourPage'] = {
  title: '试用自己的网页',
  snippet: '网页代码',
  gateway: '网关',
  watch: '检测',
  notAllowed: '网关不允许 {origin}，只允许：{other}。协议、主机和端口必须一致。',
  notJoined:
    '请打开网关为 {origin} 打印的链接。Content-Security-Policy 需要 connect-src ws://127.0.0.1:8808。',
  steps: {
    loaded: '网页已加载',
    joined: '已加入网关',
    resource: '已列出资源',
    read: '已读取资源',
    change: '已通知更改',
  },
  no: {
    gateway: '请用此命令启动网关，并打开其链接。',
    resource: '请连接网页。列表为空时需要 `mcp.resource` 或 `mcp.mount`。',
    read: '请读取资源。',
    change: '请更改资源：`set` 或 `mcp.changed` 会发出通知。',
  },
}
