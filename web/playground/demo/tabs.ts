/** The demo's simulated browser, whose tabs users can navigate. */

import { type Signal, signal } from '@preact/signals'

export interface FakeTab {
  id: string
  title: string
  url: string
  text: string
}

/** Pages of the simulated browser. */
const pages: readonly Omit<FakeTab, 'id'>[] = [
  {
    title: 'Tomato soup',
    url: 'https://recipes.example/tomato-soup',
    text: 'Serves four.\nTomatoes, cream, basil.',
  },
  {
    title: 'Lisbon in two days',
    url: 'https://travel.example/lisbon',
    text: 'Tram 28, Belém,\nand the river at night.',
  },
  {
    title: 'Timetable',
    url: 'https://trains.example/board',
    text: '9:40 platform 2\n10:05 platform 7',
  },
  {
    title: 'MCP specification',
    url: 'https://spec.example/mcp',
    text: 'Resources, prompts, tools.',
  },
]

export const fakeTabs: Signal<readonly FakeTab[]> = signal(
  ['left', 'middle', 'right'].map((id, i) => ({ id, ...(pages[i] as Omit<FakeTab, 'id'>) })),
)

/** Changes a tab; returns its URI. */
export function changeTab(id: string, change: Partial<FakeTab>): string {
  fakeTabs.value = fakeTabs.peek().map((tab) => (tab.id === id ? { ...tab, ...change } : tab))
  return `tab://${id}`
}

/** Navigates a tab to the next page */
export function navigate(id: string): string {
  const tab = fakeTabs.peek().find((one) => one.id === id)
  const at = pages.findIndex((page) => page.url === tab?.url)
  return changeTab(id, pages[(at + 1) % pages.length] as FakeTab)
}
