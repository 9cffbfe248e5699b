/** Texts of the tasks, in Japanese. */

import type { TasksTexts } from './en.ts'

export const texts: TasksTexts = {
  name: 'タスク',
  description:
    'このブラウザーの中にある、Dexie のタスクリストです。アシスタントは PageMCP を通して読めます。',
  instructions:
    'このブラウザーを使っている人のタスクリストです。未完了のタスク：idb:///tasks-app/tasks/index/state/s.open',
  newTask: '新しいタスク',
  newHint: '何をしますか。',
  due: '期日',
  today: '今日',
  tomorrow: '明日',
  inAWeek: '1 週間後',
  someDay: 'いつか',
  add: '追加',
  show: '表示',
  open: '未完了',
  done: '完了',
  all: 'すべて',
  list: 'タスク',
  left: { other: '未完了 {count} 件' },
  nothingLeft: 'すべて完了',
  noneDone: '完了したタスクはまだありません。',
  noneOpen: 'することはありません。よい一日を。',
  readAt: '{when} に読み取り',
  delete: '{title}を削除',
  deleted: '「{title}」を削除しました。',
  offered: '公開中：タスクと、状態と期日の索引。このページのほかの内容は公開しません。',
  question: '「今日まだやることは何？」',
  askFirst: 'アシスタントがこのページを使う前に確認する',
  seen: 'アシスタントから見えるもの',
  seenSchema: 'スキーマ：ストア、キー、索引',
  seenTask: 'タスク一件',
  seenOpen: '未完了のタスクすべて',
  seenDue: 'その日までが期日のもの',
  seeds: [
    '歯医者を予約する',
    'アナにリスボンの写真を送る',
    '植物に水をやる',
    '電気代を払う',
    '図書館に本を返す',
    'サワードウの焼き方を覚える',
  ],
}
