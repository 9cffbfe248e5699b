/** View state that several panes share. Each pane keeps everything else to itself. */

import { effect, type Signal, signal } from '@preact/signals'
import type { ComponentType } from 'preact'
import { change, embedded, settings } from './settings.ts'

/** The row that Inspect shows: what the user selected or sent; undefined: nothing yet. */
export const selected: Signal<number | undefined> = signal(undefined)

export const panes = ['explore', 'compose', 'inspect', 'timeline'] as const
export type Pane = (typeof panes)[number]

/** What is shown where. */
export interface Layout {
  /** The pane that a narrow screen shows: first the stage, if there is one. */
  pane: Pane
  /** The left pane. */
  side: 'explore' | 'lessons'
  /** The middle: the composer, or the traffic of the gateway. */
  front: 'compose' | 'gateway'
  timelineView: 'list' | 'sequence'
  /** The name of the open dialog: `dialog` of a command, or `palette` or `keys`. */
  dialog?: string
  /** Whether the presentation replaces the panes: of the running scenario, else of the live messages. */
  presenting: boolean
}

export const layout: Signal<Layout> = signal({
  pane: embedded ? 'compose' : 'explore',
  side: 'explore',
  front: 'compose',
  timelineView: 'list',
  presenting: false,
})

export function show(change: Partial<Layout>): void {
  layout.value = { ...layout.peek(), ...change }
}

/** Shows a pane and focuses it, after the rendering that opens it. */
export function goToPane(pane: Pane): void {
  show({ pane })
  queueMicrotask(() => document.getElementById(`pane-${pane}`)?.focus())
}

effect(() => {
  const { pane } = layout.value
  const isUsed = selected.value !== undefined || pane === 'compose' || pane === 'inspect'
  if (isUsed && !settings.peek().bench) change({ bench: true })
})

export const exploreViews = [
  'stage',
  'resources',
  'templates',
  'prompts',
  'tools',
  'skills',
  'subscriptions',
  'demo',
] as const
export type ExploreView = (typeof exploreViews)[number]

/** The newest row that the stage shows on its way; the timeline marks it. */
export const arriving: Signal<number | undefined> = signal(undefined)

/** Component above the composer while a lesson runs. It is set by a module that is loaded later. */
export const coach: Signal<ComponentType | undefined> = signal(undefined)

/** While true, the demo's data changes only by hand, so that users can tell their own changes apart. */
export const demoPaused = signal(false)

/** The timeline's filter; timeline/filter.ts has the grammar. */
export const filter = signal('')

/** While true, the timeline shows no new rows and the live region is silent. */
export const paused = signal(false)

/** While true, a scenario plays: the introduction and the demo's own changes wait. */
export const scripted = signal(false)
