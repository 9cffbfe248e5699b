/** Texts of the conformance page, in Japanese. */

import type { ConformanceTexts } from './en.ts'

export const texts: ConformanceTexts = {
  name: '適合性テスト',
  description: 'MCP 公式適合性テストの対象を、Web ページが提供します。',
  lead: 'このページは、公式の適合性テストやほかのクライアントが求めるものを提供し、そのリクエストを表示します。個人の情報はありません。',
  served: '提供中',
  resources: 'リソースとテンプレート',
  prompts: 'プロンプト',
  tools: 'ツール',
}
