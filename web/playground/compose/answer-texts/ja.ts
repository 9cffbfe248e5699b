export const answers = {
  accept: '承諾',
  decline: '辞退',
  visit: '{host} を開く',
  notWeb: 'Web アドレスではないため開きません：{url}',
  text: 'モデルとしてのレスポンス',
  model: 'モデル',
  addRoot: 'ルートを追加',
  capabilities: 'クライアントの機能',
  declare: '{ability} を宣言して再送信',
}
