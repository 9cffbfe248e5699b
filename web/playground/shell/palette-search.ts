/** Which commands the palette lists, and in which order. */

import type { Command } from '../base/commands.ts'

/** What the order depends on. */
export interface Context {
  title(command: Command): string
  /** How often each command was chosen in the palette, by id. */
  used: { readonly [id: string]: number }
  /** The pane that had the focus: its commands have this first part of their ids. */
  area: string
}

/**
 * Commands whose titles contain all words. Those that begin with the first word come first, then those that can be run
 * now, those that were chosen most often, and those of the pane that had the focus.
 */
export function search(all: readonly Command[], wanted: string, context: Context): Command[] {
  const words = wanted.toLowerCase().split(/\s+/).filter(Boolean)
  const [first = ''] = words
  return all
    .filter(({ id }) => id !== 'shell.palette')
    .map((command) => {
      const title = context.title(command).toLowerCase()
      const rank = [
        Number(title.startsWith(first)),
        Number(command.when?.() !== false),
        context.used[command.id] ?? 0,
        Number(command.id.startsWith(`${context.area}.`)),
      ]
      return { command, title, rank }
    })
    .filter(({ title }) => words.every((word) => title.includes(word)))
    .sort((a, b) => b.rank.map((one, i) => one - (a.rank[i] ?? 0)).find((one) => one !== 0) ?? 0)
    .map(({ command }) => command)
}
