/** Keyboard navigation of a list of rows, for all views. */

/**
 * The index that a key moves to, or undefined for other keys.
 *
 * @param index - the current index
 * @param count - number of rows
 * @param page - number of visible rows
 */
export function nextIndex(
  key: string,
  index: number,
  count: number,
  page: number,
): number | undefined {
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
