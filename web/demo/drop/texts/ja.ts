/** Texts of the drop, in Japanese. */

import type { DropTexts } from './en.ts'

export const texts: DropTexts = {
  name: 'ファイル置き場',
  description:
    'このブラウザー専用のファイルシステムにあるファイルです。アシスタントは PageMCP を通して読めます。',
  lead: 'ここに置いたファイルは、このブラウザー専用のファイルシステムから出ません。アシスタントが読めるのはここにあるものだけで、変更はできません。',
  instructions: 'このブラウザーを使っている人がここに置いたファイルです。',
  drop: 'ここにファイルをドロップ、または貼り付け',
  choose: 'ファイルを選択',
  inDrop: '置いてあるファイル',
  count: { other: 'ファイル {count} 個、{size}' },
  empty: 'ファイルはまだありません',
  emptyText: '自分のファイルを追加するか、三つの見本から始めてください。',
  samples: '見本を追加',
  show: '{name} を表示',
  delete: '{name} を削除',
  deleted: '「{name}」を削除しました。',
  replaced: '「{name}」を置き換えました。',
  readAt: '{when} に読み取り',
  preview: 'アシスタントが読む内容：',
  cut: '{all} のうち最初の {size}。',
  binary: 'テキストではないファイルです。アシスタントはバイト列を受け取ります。',
  emptyFile: 'このファイルは空です。',
  problem: '{name} を保存できませんでした：{reason}',
  offered: '公開中：ここにあるファイルとその名前。このブラウザーのほかの内容は公開しません。',
  question: '「置いたファイルに何が書いてある？」',
  seeds: [
    {
      name: 'レシピ.md',
      text: '# 洋梨のタルト\n\n- 洋梨 4 個\n- 小麦粉 200 g\n- バター 100 g\n\n180 °C で 40 分焼く。\n',
    },
    {
      name: '支出.csv',
      text: '日付,内容,ユーロ\n2026-11-02,電車,38.50\n2026-11-09,ホテル,124.00\n2026-11-17,美術館,16.00\n',
    },
    { name: '設定.json', text: '{\n  "language": "ja",\n  "units": "metric"\n}\n' },
  ],
}
