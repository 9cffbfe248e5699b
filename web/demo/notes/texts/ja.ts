/** Texts of the notes, in Japanese. */

import type { NotesTexts } from './en.ts'

export const texts: NotesTexts = {
  name: 'メモ',
  description: 'このブラウザーの中にあるメモです。アシスタントは PageMCP を通して読めます。',
  instructions:
    'このブラウザーを使っている人のメモです。メモは一つずつリソースになっています。引用する前に読んでください。',
  all: 'すべてのメモ',
  searchNotes: 'メモを検索',
  search: '検索',
  add: '新規',
  keys: { choose: '選択', edit: '編集', add: '新規', search: '検索', delete: '削除' },
  note: 'メモ',
  delete: '削除',
  checkOff: 'チェックを付ける',
  checkedDescription:
    'ユーザーがメモにチェックを付けました。URI で読み、頼まれていれば残りを伝えてください',
  title: 'タイトル',
  untitled: '無題',
  text: '本文',
  textHint: 'アシスタントが読んでもよいことを書いてください…',
  noText: '本文なし',
  known: 'アシスタントから見たこのメモの URI',
  question: '「リスボンについてメモに何と書いてある？」',
  deleted: '「{title}」を削除しました。',
  saving: '保存中…',
  saved: '保存しました',
  notSaved: '保存できませんでした：{reason}',
  found: { other: '{all} 件中 {count} 件' },
  offered: {
    other: '公開中：メモ {count} 件と、どれを開いているか。このページのほかの内容は公開しません。',
  },
  empty: 'メモはまだありません',
  emptyText: '「新規」を押して最初のメモを書いてください。',
  notFound: '見つかりません',
  notFoundText: '「{text}」を含むメモはありません。',
  justNow: 'たった今',
  readAgo: '{when}に読み取り',
  by: '{client}',
  anAssistant: 'アシスタント',
  openNote: '開いているメモ',
  openDescription: '今、画面に表示されている内容です。',
  store: 'メモの保存先',
  skill: 'アシスタント向けの手順',
  deletedNote: '削除されたメモ',
  seeds: [
    {
      title: 'リスボン旅行',
      text: '金曜日 9:40 発の便、火曜日に帰る。\n\n- 28 番のトラムは混む前の朝早くに\n- ベレンでパステル・デ・ナタ\n- アルファマのファドの店をアナに聞く\n\n予算：600 ユーロ。ホテルの前金に 140 ユーロ支払い済み。',
    },
    {
      title: '買い物',
      text: '- レモン\n- オリーブオイル\n- ひよこ豆 2 缶\n- 日曜日に何かおいしいもの',
    },
    {
      title: 'ようこそ',
      text: 'これらのメモは、このブラウザーの IndexedDB の中にあります。どのサーバーにもありません。\n\nこのページが接続されていると、アシスタントは PageMCP を通してメモを読むことができ、変更があれば通知を受け取ります。何が読まれたかは、このページに表示されます。\n\n試してみましょう：あと何を買えばよいかアシスタントに聞き、リストに何か書き足して、もう一度聞いてみてください。',
    },
  ],
}
