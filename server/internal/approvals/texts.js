// What the page says, in the languages of the project. `{x}` stands for a text of others, which becomes part of a text node.

const en = {
  title: 'Approvals for {assistant}',
  unnamed: 'an unnamed assistant',
  note: 'The terminal shows the same questions. The first decision counts.',
  none: 'Nothing to decide.',
  description: 'Description by the assistant',
  input: 'Input',
  cut: 'Only the beginning is known here, so this can be allowed in the terminal only.',
  deny: 'Deny',
  allow: 'Allow once',
  asked: 'New question: {tool}',
  denied: 'Sent “Deny”: {tool}',
  allowed: 'Sent “Allow once”: {tool}',
  gone: 'No longer open: {tool}',
  failed: 'Not sent, decide in the terminal: {tool}',
  ended: 'The connection to the assistant has ended. Close this tab.',
  expired: 'This link is used or too old. The next question opens a new tab.',
}

const de = {
  title: 'Freigaben für {assistant}',
  unnamed: 'einen Assistenten ohne Namen',
  note: 'Das Terminal zeigt dieselben Fragen. Die erste Entscheidung gilt.',
  none: 'Nichts zu entscheiden.',
  description: 'Beschreibung des Assistenten',
  input: 'Eingabe',
  cut: 'Hier ist nur der Anfang bekannt, daher ist Erlauben nur im Terminal möglich.',
  deny: 'Ablehnen',
  allow: 'Einmal erlauben',
  asked: 'Neue Frage: {tool}',
  denied: '„Ablehnen“ gesendet: {tool}',
  allowed: '„Einmal erlauben“ gesendet: {tool}',
  gone: 'Nicht mehr offen: {tool}',
  failed: 'Nicht gesendet, Entscheidung nur im Terminal: {tool}',
  ended: 'Die Verbindung zum Assistenten ist beendet. Dieser Tab kann geschlossen werden.',
  expired: 'Dieser Link ist verbraucht oder zu alt. Die nächste Frage öffnet einen neuen Tab.',
}

const ja = {
  title: '{assistant}の承認',
  unnamed: '名前のないアシスタント',
  note: '同じ質問がターミナルにも表示されます。先の決定が有効です。',
  none: '決定が必要なものはありません。',
  description: 'アシスタントによる説明',
  input: '入力',
  cut: 'ここに届いているのは先頭の一部だけなので、許可できるのはターミナルだけです。',
  deny: '拒否',
  allow: '一度だけ許可',
  asked: '新しい質問：{tool}',
  denied: '「拒否」を送信しました：{tool}',
  allowed: '「一度だけ許可」を送信しました：{tool}',
  gone: '受付終了：{tool}',
  failed: '送信できませんでした。ターミナルで決定してください：{tool}',
  ended: 'アシスタントとの接続が終了しました。このタブを閉じてください。',
  expired: 'このリンクは使用済みか期限切れです。次の質問で新しいタブが開きます。',
}

const zhHans = {
  title: '{assistant}的审批',
  unnamed: '未命名的助手',
  note: '终端会显示相同的问题。以先作出的决定为准。',
  none: '没有需要决定的内容。',
  description: '助手的说明',
  input: '输入',
  cut: '此处只有开头的内容，因此只能在终端中允许。',
  deny: '拒绝',
  allow: '允许一次',
  asked: '新问题：{tool}',
  denied: '已发送“拒绝”：{tool}',
  allowed: '已发送“允许一次”：{tool}',
  gone: '已失效：{tool}',
  failed: '未能发送，请在终端中决定：{tool}',
  ended: '与助手的连接已结束。请关闭此标签页。',
  expired: '此链接已使用或已过期。下一个问题会打开新标签页。',
}

/** By the tag of their language. */
export const languages = { en, de, ja, 'zh-Hans': zhHans }

/** The first language of the browser that there is, or else English. */
export function languageOf(wanted) {
  for (const tag of wanted) {
    const lower = tag.toLowerCase()
    if (/^zh(-hans|-cn|-sg|$)/.test(lower)) return 'zh-Hans'
    const [primary] = lower.split('-')
    if (Object.hasOwn(languages, primary)) return primary
  }
  return 'en'
}

/** A text with its values, which are not filled again. */
export function filled(text, values) {
  return text.replace(/\{(\w+)\}/g, (_, name) => values[name] ?? '')
}
