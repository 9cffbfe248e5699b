/**
 * What the question about an assistant says, in the languages of the project. `{x}` stands for a name, which becomes a
 * text of its own: names never become HTML, and their direction does not change that of the sentence.
 */

const en = {
  read: 'Allow {assistant} to read {app}?',
  act: 'Allow {assistant} to use the tools of {app}?',
  once: 'Allow {assistant} to run {tool}?',
  unnamed: 'an unnamed assistant',
  browser: 'the assistant of this browser',
  window: 'the site {origin}',
  app: 'App: {id} at {origin}',
  callsItself: 'It calls itself {name}. This name is not checked.',
  unnamedMeans:
    'It uses the access without a name, so the decision is for all assistants that use it.',
  readMeans:
    'It could read all that this app shares. The contents go to the provider of its language model.',
  actMeans: 'It could change things in this app by its tools, in your name.',
  onceMeans:
    'This tool may delete or overwrite something. Each call asks, unless you allow this tool for 8 hours.',
  wants: 'It asks for {method} {what}',
  tool: 'Tool: {title} ({name})',
  arguments: 'Arguments',
  cut: 'The arguments are too long to be shown: {count} more characters. So the call cannot be allowed.',
  untilSession:
    '“Allow this time” ends after 8 hours, {time}, or earlier if the gateway forgets this app.',
  untilAlways: '“Allow always” ends after 30 days without use.',
  untilToolSession:
    '“Allow for 8 hours” is for this tool alone. It ends {time}, or earlier if the gateway forgets this app.',
  thisTime: 'Allow this time',
  always: 'Allow always',
  allowOnce: 'Allow once',
  toolSession: 'Allow for 8 hours',
  deny: 'Don’t allow',
  close: 'Close without a decision',
}

export type Texts = typeof en

const de: Texts = {
  read: 'Darf {assistant} {app} lesen?',
  act: 'Darf {assistant} die Tools von {app} benutzen?',
  once: 'Darf {assistant} {tool} ausführen?',
  unnamed: 'ein Assistent ohne Namen',
  browser: 'der Assistent dieses Browsers',
  window: 'die Website {origin}',
  app: 'App: {id} auf {origin}',
  callsItself: 'Er nennt sich {name}. Dieser Name ist nicht geprüft.',
  unnamedMeans:
    'Er benutzt den Zugang ohne Namen. Die Entscheidung gilt daher für alle Assistenten, die ihn benutzen.',
  readMeans:
    'Er könnte alles lesen, was diese App freigibt. Die Inhalte gehen an den Anbieter seines Sprachmodells.',
  actMeans:
    'Er könnte mit ihren Tools etwas in dieser App ändern, im Namen der angemeldeten Person.',
  onceMeans:
    'Dieses Tool kann etwas löschen oder überschreiben. Jeder Aufruf fragt, außer wenn dieses Tool für 8 Stunden erlaubt ist.',
  wants: 'Anfrage: {method} {what}',
  tool: 'Tool: {title} ({name})',
  arguments: 'Argumente',
  cut: 'Die Argumente sind zu lang, um gezeigt zu werden: {count} weitere Zeichen. Der Aufruf lässt sich daher nicht erlauben.',
  untilSession:
    '„Diesmal erlauben“ endet nach 8 Stunden, {time}, oder früher, wenn das Gateway diese App vergisst.',
  untilAlways: '„Immer erlauben“ endet nach 30 Tagen ohne Benutzung.',
  untilToolSession:
    '„8 Stunden erlauben“ gilt für dieses Tool allein. Es endet {time}, oder früher, wenn das Gateway diese App vergisst.',
  thisTime: 'Diesmal erlauben',
  always: 'Immer erlauben',
  allowOnce: 'Einmal erlauben',
  toolSession: '8 Stunden erlauben',
  deny: 'Nicht erlauben',
  close: 'Ohne Entscheidung schließen',
}

const ja: Texts = {
  read: '{assistant}に{app}の読み取りを許可しますか？',
  act: '{assistant}に{app}のツールの使用を許可しますか？',
  once: '{assistant}に{tool}の実行を許可しますか？',
  unnamed: '名前のないアシスタント',
  browser: 'このブラウザーのアシスタント',
  window: 'サイト {origin} ',
  app: 'アプリ：{id}（{origin}）',
  callsItself: '自称は {name} です。この名前は確認されていません。',
  unnamedMeans:
    '名前のないアクセスを使っています。そのため、この決定は同じアクセスを使うすべてのアシスタントに適用されます。',
  readMeans:
    'このアプリが共有するすべての内容を読み取れるようになります。内容は言語モデルの提供元に送られます。',
  actMeans: 'ツールを使い、あなたの名義でこのアプリの内容を変更できるようになります。',
  onceMeans:
    'このツールは何かを削除または上書きすることがあります。8 時間許可しない限り、呼び出しごとに確認します。',
  wants: 'リクエスト：{method} {what}',
  tool: 'ツール：{title}（{name}）',
  arguments: '引数',
  cut: '引数が長すぎて表示できません（残り {count} 文字）。そのため、この呼び出しは許可できません。',
  untilSession:
    '「今回だけ許可」は 8 時間後の {time} に終わります。ゲートウェイがこのアプリを忘れた場合は、その時に終わります。',
  untilAlways: '「常に許可」は、30 日間使われないと終わります。',
  untilToolSession:
    '「8 時間許可」はこのツールだけが対象です。{time} に終わります。ゲートウェイがこのアプリを忘れた場合は、その時に終わります。',
  thisTime: '今回だけ許可',
  always: '常に許可',
  allowOnce: '一度だけ許可',
  toolSession: '8 時間許可',
  deny: '許可しない',
  close: '決定せずに閉じる',
}

const zhHans: Texts = {
  read: '允许{assistant}读取{app}吗？',
  act: '允许{assistant}使用{app}的工具吗？',
  once: '允许{assistant}运行{tool}吗？',
  unnamed: '未命名的助手',
  browser: '此浏览器的助手',
  window: '网站 {origin} ',
  app: '应用：{id}（{origin}）',
  callsItself: '它自称 {name}。此名称未经核实。',
  unnamedMeans: '它使用没有名称的访问方式，因此此决定适用于使用同一方式的所有助手。',
  readMeans: '它将可以读取此应用共享的全部内容。这些内容会发送给其语言模型的提供商。',
  actMeans: '它将可以通过工具以您的名义更改此应用中的内容。',
  onceMeans: '此工具可能会删除或覆盖内容。除非您允许此工具 8 小时，否则每次调用都会询问。',
  wants: '请求：{method} {what}',
  tool: '工具：{title}（{name}）',
  arguments: '参数',
  cut: '参数过长，无法显示（还有 {count} 个字符），因此无法允许此次调用。',
  untilSession: '“本次允许”在 8 小时后（{time}）结束；如果网关忘记了此应用，则提前结束。',
  untilAlways: '“始终允许”在 30 天未使用后结束。',
  untilToolSession: '“允许 8 小时”仅限此工具。它在 {time} 结束；如果网关忘记了此应用，则提前结束。',
  thisTime: '本次允许',
  always: '始终允许',
  allowOnce: '允许一次',
  toolSession: '允许 8 小时',
  deny: '不允许',
  close: '关闭，暂不决定',
}

/** By the tag of their language. */
export const languages: { readonly [language: string]: Texts } = { en, de, ja, 'zh-Hans': zhHans }

/**
 * The language of the question: of the document, or else the first of the browser that there is, or else English.
 *
 * @param wanted - language tags, most wanted first
 */
export function languageOf(wanted: readonly string[]): string {
  for (const tag of wanted) {
    const lower = tag.toLowerCase()
    if (/^zh(-hans|-cn|-sg|$)/.test(lower)) return 'zh-Hans'
    const [primary = ''] = lower.split('-')
    if (Object.hasOwn(languages, primary)) return primary
  }
  return 'en'
}

/** The parts of a text: what stands between the names, and the names, marked by `isName`. */
export function filled(
  text: string,
  names: { readonly [name: string]: string },
): { readonly text: string; readonly isName: boolean }[] {
  return text
    .split(/\{(\w+)\}/)
    .map((part, i) => ({ text: i % 2 === 1 ? (names[part] ?? '') : part, isName: i % 2 === 1 }))
    .filter((part) => part.text !== '')
}

/** How many characters of a name are shown. */
export const maxName = 128

// Controls, and marks that change the direction of a text or are invisible; those of other lines, too.
const hidden = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Co}\p{Cs}]/gu

/** A text that shows as it is: no controls, no invisible marks, none that change its direction. */
export function clean(text: string, most = maxName): string {
  const plain = text.toWellFormed().replace(hidden, ' ').replace(/\s+/g, ' ').trim()
  const points = [...plain]
  return points.length > most ? `${points.slice(0, most - 1).join('')}…` : plain
}

/** How long the arguments of a tool may be to be shown: whoever allows a call has to be able to read all of them. */
export const maxArguments = 100_000

/** JSON over several lines, without hidden characters. `cut`: how many characters are missing of what is too long to be shown. */
export function shownJson(value: unknown): { text: string; cut: number } {
  const whole = (JSON.stringify(value, undefined, 2) ?? '')
    .toWellFormed()
    .replace(hidden, (mark) => (mark === '\n' ? mark : `\\u{${mark.codePointAt(0)?.toString(16)}}`))
  if (whole.length > maxArguments) {
    return { text: whole.slice(0, 2000).toWellFormed(), cut: whole.length - 2000 }
  }
  return { text: whole, cut: 0 }
}
