/** Texts of the board, in Japanese. */

import type { BoardTexts } from './en.ts'

export const texts: BoardTexts = {
  name: 'ボード',
  description:
    'メモのボードです。開いているタブ一つがメモ一枚です。アシスタントは PageMCP を通してすべて読めます。',
  lead: 'このページの開いているタブ一つがメモ一枚です。どのタブにもすべてのメモが表示されます。アシスタントは、一つのタブに届けばすべてのタブを読めます。',
  instructions:
    'メモのボードです。開いているタブ一つがメモ一枚です。tab:///{id}/text はタブのメモ、tab:/// はタブの一覧です。',
  all: 'すべてのタブ',
  count: { other: 'タブ {count} 個' },
  ownNote: 'このタブのメモ',
  hint: 'このタブに何か書いてください…',
  emptyNote: '空のメモ',
  thisTab: 'このタブ',
  open: '表示中',
  background: 'バックグラウンド',
  lastUsed: '最後に使用',
  changed: '{when} に変更',
  readAt: '{when} に読み取り',
  another: '別のタブを開く',
  anotherText: 'すぐにここへメモとして現れます。',
  closed: 'メモ「{title}」は、タブと一緒に閉じられました。',
  reopen: 'もう一度開く',
  offered:
    '公開中：このボードのメモと、このサイトの開いているタブのタイトル。このブラウザーのほかの内容は公開しません。',
  question: '「ボードに何が書いてある？」',
  list: 'タブの一覧',
  goneNote: '閉じられたタブ',
  known: 'アシスタントから見た URI：{uri}',
  seed: '土曜日に持って行くもの\n\n– 折りたたみ椅子\n– 大きいテント\n– 炭',
}
