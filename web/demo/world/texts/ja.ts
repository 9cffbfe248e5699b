/** Texts of the world, in Japanese. */

import type { WorldTexts } from './en.ts'

export const texts: WorldTexts = {
  name: '小さな世界',
  description:
    'ファイル、レコード、画面、天気、エージェントからなる小さな世界を、Web ページが MCP で提供します。',
  lead: 'プロジェクトのファイル、伸びていくログ、表、画面、天気、プロンプトを持つエージェント。MCP のリソースが想定するデータが一つずつあります。すべて架空のもので、見ている間にも変わります。',
  instructions: 'リソースを試すための架空の世界です。見ている間にも変わります。',
  served: '提供中',
  others: 'テンプレートとプロンプト',
  now: '現在',
  weatherAt: '観測所 {station} の天気',
  weather: '{condition}、{temperature} °C、湿度 {humidity} %',
  conditions: { Clear: '晴れ', Cloudy: '曇り', Rain: '雨' },
  log: 'ログ',
  logOpened: 'ログが開かれました',
  writeLog: 'ログに書く',
  changeWeather: '天気を変える',
  edit: '{file} を編集',
  addFile: '{file} を追加',
  removeFile: '{file} を削除',
  changed: '{when} に変更',
  readAt: '{when} に読み取り',
  question: '「観測所 12345 の天気は？」',
  contents: '{name} の内容',
  things: {
    'file:///project/src/main.rs': {
      title: 'プログラム',
      description: 'ここから始まります。起動した人に挨拶します',
      text: '// 起動した人に挨拶します。\nfn main() {\n    let name = std::env::args().nth(1);\n    println!("こんにちは、{}！", name.unwrap_or("ページ".into()));\n}\n',
    },
    'file:///project/README.md': {
      title: 'プロジェクトについて',
      description: 'プログラムの内容と場所',
      text: '# あいさつ\n\nファイル一つのプログラム：`src/main.rs` が挨拶します。\n',
    },
    'file:///project/': {
      title: 'プロジェクトのフォルダー',
      description: '中にあるファイルの名前',
    },
    'file:///example.txt': {
      description: '1行のテキスト',
      text: '読んでもらうための一行です。\n',
    },
    'file:///example.png': { description: '1ピクセルの画像' },
    'git://project/commits/main': {
      title: '最新のコミット',
      description: 'ブランチ main の最後のコミット',
    },
    'file:///media/chime.wav': { title: 'チャイム', description: '440 Hz の音、20分の1秒' },
    'file:///media/test.webm': { title: 'テスト映像', description: 'テスト映像の2フレーム、1秒' },
    'file:///home/user/documents/report.pdf': { title: '報告書', description: '白紙一ページ' },
    'file:///logs/app.log': {
      name: 'アプリケーションのログ',
      description: 'アプリケーションの動作を、一件一行で',
      text: '12:00:00 起動\n',
    },
    'postgres://database/customers/schema': {
      name: '顧客',
      description: '表 customers の列',
    },
    'screen://localhost/display1': {
      name: 'ディスプレイ 1',
      description: '一台目のディスプレイの表示',
    },
    'weather://data/12345': { name: '観測所 12345 の天気', description: '最新の測定値' },
    'beeos://agent/config': {
      name: 'エージェントの設定',
      description: 'エージェントの名前、使うモデル、できること',
    },
    'beeos://agent/skills': {
      name: 'エージェントのスキル',
      description: 'スキルごとに一件：名前と用途',
      text: '[{"name":"web_search","about":"ウェブで調べる"},{"name":"summarize","about":"要約を書く"}]',
    },
  },
  templates: {
    'file:///{path}': {
      name: 'プロジェクトのファイル',
      title: '📁 プロジェクトのファイル',
      description: 'パスで指定する任意のファイル',
    },
    'weather://data/{station}': {
      name: '観測所ごとの天気',
      description: '任意の観測所の最新の測定値',
    },
  },
  prompt: {
    description: 'エージェントにテーマの調査と要約を頼みます',
    topic: '調査のテーマ',
    depth: '詳しさ：brief、standard、deep のいずれか',
    brief: '{topic}を三つの文で紹介してください。',
    standard: '{topic}を調べて、1 ページの要約を書いてください。',
    deep: '{topic}を詳しく調べてください。最近の進展、取り組んでいる人たち、使われている場面。',
  },
}
