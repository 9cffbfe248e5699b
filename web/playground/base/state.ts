/** View state that several panes share. Each pane keeps everything else to itself. */

import { type Signal, signal } from '@preact/signals'
import type { ComponentType } from 'preact'

/** The row that Inspect shows: what the user selected or sent; undefined: nothing yet. */
export const selected: Signal<number | undefined> = signal(undefined)

export const panes = ['explore', 'compose', 'inspect', 'timeline'] as const
export type Pane = (typeof panes)[number]

/** The pane that a narrow screen shows. */
export const pane: Signal<Pane> = signal('compose')

/** The view of Explore. */
export const exploring: Signal<
  'resources' | 'templates' | 'prompts' | 'tools' | 'subscriptions' | 'demo'
> = signal('resources')

/** Content of the left pane. */
export const side: Signal<'explore' | 'lessons'> = signal('explore')

/** The open dialog. */
export const dialog: Signal<'palette' | 'keys' | 'share' | 'connect' | 'conformance' | undefined> =
  signal(undefined)

/** Component above the composer while a lesson runs. It is set by a module that is loaded later. */
export const coach: Signal<ComponentType | undefined> = signal(undefined)

/** While true, the demo's data changes only by hand, so that users can tell their own changes apart. */
export const demoPaused = signal(false)

export const timelineView: Signal<'list' | 'sequence' | 'wire'> = signal('list')

/** The timeline's filter; timeline/filter.ts has the grammar. */
export const filter = signal('')

/** While true, the timeline shows no new rows and the live region is silent. */
export const paused = signal(false)

/** While true, the presentation replaces the panes. */
export const presenting = signal(false)
