import type { Translated } from '../locale/texts.ts'

export const en = {
  accept: 'Accept',
  decline: 'Decline',
  visit: 'Open {host}',
  notWeb: 'Not a web address, so it is not opened: {url}',
  text: 'Response as the model',
  model: 'Model',
  addRoot: 'Add root',
  capabilities: 'Client capabilities',
  declare: 'Declare {ability} and send again',
} as const

export const de: Translated<typeof en> = {
  accept: 'Annehmen',
  decline: 'Ablehnen',
  visit: '{host} öffnen',
  notWeb: 'Keine Webadresse, wird nicht geöffnet: {url}',
  text: 'Antwort als Modell',
  model: 'Modell',
  addRoot: 'Root hinzufügen',
  capabilities: 'Fähigkeiten des Clients',
  declare: '{ability} deklarieren und erneut senden',
}

export const ja: Translated<typeof en> = {
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

export const zhHans: Translated<typeof en> = {
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

declare module '../locale/texts.ts' {
  interface English {
    answers: typeof en
  }
}
