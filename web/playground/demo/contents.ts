/**
 * What the demo contains, in the language of the page when it starts. Names, URIs and descriptions for assistants stay
 * as they are; so do worlds of scenarios, whose transcripts quote them.
 */

import { type Locale, wantedLocale } from '../base/i18n.ts'

type Language = Exclude<Locale, 'en-XA'>

export interface Contents {
  /** Items of the shopping list, and what stands between them. */
  goods: readonly string[]
  separator: string
  /** Notes at the first visit, besides the shopping list. */
  ideas: string
  trip: string
  /** Titles and texts of the simulated tabs. */
  pages: readonly (readonly [title: string, text: string])[]
  /** The title of the server. */
  server: string
  /** Titles by the English ones. */
  titles: Readonly<Record<string, string>>
}

export const contents: Readonly<Record<Language, Contents>> = {
  en: {
    goods: ['milk', 'apples', 'bread', 'olives', 'lemons', 'tea', 'a map', 'candles'],
    separator: ', ',
    ideas: '# Ideas\n\n- Ask the assistant what is **still missing**\n- Bring a map\n',
    trip: 'Tram at 9:40. Ana waits at the station.',
    pages: [
      ['Tomato soup', 'Serves four.\nTomatoes, cream, basil.'],
      ['Lisbon in two days', 'Tram 28, Belém,\nand the river at night.'],
      ['Timetable', '9:40 platform 2\n10:05 platform 7'],
      ['MCP specification', 'Resources, prompts, tools.'],
    ],
    server: 'In-page demo',
    titles: {},
  },
  de: {
    goods: ['Milch', 'Äpfel', 'Brot', 'Oliven', 'Zitronen', 'Tee', 'ein Stadtplan', 'Kerzen'],
    separator: ', ',
    ideas: '# Ideen\n\n- Den Assistenten fragen, was **noch fehlt**\n- Einen Stadtplan mitnehmen\n',
    trip: 'Straßenbahn um 9:40 Uhr. Ana wartet am Bahnhof.',
    pages: [
      ['Tomatensuppe', 'Für vier Personen.\nTomaten, Sahne, Basilikum.'],
      ['Lissabon in zwei Tagen', 'Straßenbahn 28, Belém\nund nachts der Fluss.'],
      ['Fahrplan', '9:40 Gleis 2\n10:05 Gleis 7'],
      ['MCP-Spezifikation', 'Ressourcen, Prompts, Tools.'],
    ],
    server: 'Demo in dieser Seite',
    titles: {
      Today: 'Heute',
      Ideas: 'Ideen',
      'A note': 'Eine Notiz',
      'Search in notes': 'In Notizen suchen',
      'Shopping list': 'Einkaufsliste',
      Clock: 'Uhr',
      'Checkout form': 'Bestellformular',
      'An entry of the large list': 'Ein Eintrag der großen Liste',
      'Text of a tab': 'Text eines Tabs',
      'Write a note': 'Notiz schreiben',
      'Remove a note': 'Notiz entfernen',
      'Show a note': 'Notiz zeigen',
      'Fill in the checkout form': 'Bestellformular ausfüllen',
      'Count with progress': 'Zählen mit Fortschritt',
    },
  },
  ja: {
    goods: ['牛乳', 'りんご', 'パン', 'オリーブ', 'レモン', 'お茶', '地図', 'ろうそく'],
    separator: '、',
    ideas: '# アイデア\n\n- アシスタントに**足りないもの**を聞く\n- 地図を持っていく\n',
    trip: '9:40の路面電車。駅でアナが待っています。',
    pages: [
      ['トマトスープ', '4人分。\nトマト、生クリーム、バジル。'],
      ['リスボン2日間', '28番の路面電車、ベレン、\n夜の川。'],
      ['時刻表', '9:40 2番線\n10:05 7番線'],
      ['MCP仕様', 'リソース、プロンプト、ツール。'],
    ],
    server: 'ページ内デモ',
    titles: {
      Today: '今日',
      Ideas: 'アイデア',
      'A note': 'メモ',
      'Search in notes': 'メモを検索',
      'Shopping list': '買い物リスト',
      Clock: '時計',
      'Checkout form': '注文フォーム',
      'An entry of the large list': '大きなリストの項目',
      'Text of a tab': 'タブのテキスト',
      'Write a note': 'メモを書く',
      'Remove a note': 'メモを削除',
      'Show a note': 'メモを表示',
      'Fill in the checkout form': '注文フォームに入力',
      'Count with progress': '進捗付きで数える',
    },
  },
  'zh-Hans': {
    goods: ['牛奶', '苹果', '面包', '橄榄', '柠檬', '茶', '地图', '蜡烛'],
    separator: '、',
    ideas: '# 想法\n\n- 问助手**还缺什么**\n- 带一张地图\n',
    trip: '9:40 的电车。安娜在车站等。',
    pages: [
      ['番茄汤', '四人份。\n番茄、奶油、罗勒。'],
      ['里斯本两日游', '28 路电车、贝伦，\n还有夜晚的河。'],
      ['时刻表', '9:40 2 站台\n10:05 7 站台'],
      ['MCP 规范', '资源、提示、工具。'],
    ],
    server: '页内演示',
    titles: {
      Today: '今天',
      Ideas: '想法',
      'A note': '一条笔记',
      'Search in notes': '搜索笔记',
      'Shopping list': '购物清单',
      Clock: '时钟',
      'Checkout form': '结账表单',
      'An entry of the large list': '大列表中的一项',
      'Text of a tab': '标签页的文本',
      'Write a note': '写笔记',
      'Remove a note': '删除笔记',
      'Show a note': '显示笔记',
      'Fill in the checkout form': '填写结账表单',
      'Count with progress': '带进度计数',
    },
  },
}

let chosen: Contents | undefined

/** The contents in the language that the page had at the first call. */
export function demoContents(): Contents {
  const language = wantedLocale()
  chosen ??= contents[language === 'en-XA' ? 'en' : language]
  return chosen
}

/** A title in that language. */
export const titled = (english: string): string => demoContents().titles[english] ?? english

/** A shopping list of items by their position. */
export const listOf = (...positions: readonly number[]): string => {
  const { goods, separator } = demoContents()
  return positions.map((at) => goods[at % goods.length]).join(separator)
}
