export const answers = {
  accept: '接受',
  decline: '拒绝',
  visit: '打开 {host}',
  notWeb: '不是网址，不会打开：{url}',
  text: '以模型身份响应',
  model: '模型',
  addRoot: '添加根目录',
  capabilities: '客户端能力',
  declare: '声明 {ability} 并重新发送',
}
