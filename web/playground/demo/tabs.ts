/** The demo's simulated browser, whose tabs users can navigate. */

import { type Signal, signal } from '@preact/signals'
import { demoContents } from './contents.ts'

export interface FakeTab {
  id: string
  title: string
  url: string
  text: string
}

/** Addresses of the pages of the simulated browser. */
const addresses = [
  'https://recipes.example/tomato-soup',
  'https://travel.example/lisbon',
  'https://trains.example/board',
  'https://spec.example/mcp',
]

/** Pages of the simulated browser. */
const pages: readonly Omit<FakeTab, 'id'>[] = demoContents().pages.map(([title, text], at) => ({
  title,
  url: addresses[at] ?? '',
  text,
}))

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
