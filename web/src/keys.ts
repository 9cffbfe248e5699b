/**
 * What APIs of models take as a schema of arguments. One tool that has something else makes them refuse the
 * whole conversation.
 */

/** Whether APIs take the key of a property. */
const isKey = (key: string) => /^[a-zA-Z0-9_.-]{1,64}$/.test(key)

/** Keys as APIs take them, by those of a schema; a key that they take stays. */
export function shownKeys(keys: readonly string[]): Map<string, string> {
  const shown = new Map(keys.filter(isKey).map((key) => [key, key]))
  const taken = new Set(shown.keys())
  for (const key of keys) {
    if (shown.has(key)) continue
    const spelled = key.replace(/[^a-zA-Z0-9_.-]/gu, '_').slice(0, 58)
    let one = spelled
    for (let i = 2; one === '' || taken.has(one); i++) one = `${spelled}_${i}`
    shown.set(key, one)
    taken.add(one)
  }
  return shown
}
