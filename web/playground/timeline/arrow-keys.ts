/** Where the arrow keys go in a list of rows, for all views of the timeline. */

/**
 * The place that a key leads to, or undefined if it is no key of a list.
 *
 * @param index - the present place
 * @param count - how many there are
 * @param page - how many are seen at a time
 */
export function moved(key: string, index: number, count: number, page: number): number | undefined {
  const to = {
    ArrowDown: index + 1,
    ArrowUp: index - 1,
    PageDown: index + page,
    PageUp: index - page,
    Home: 0,
    End: count - 1,
  }[key]
  return to === undefined ? undefined : Math.max(0, Math.min(count - 1, to))
}
