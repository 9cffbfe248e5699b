/**
 * Random writes into the stores of a database, in whatever realm this is loaded: a page, or
 * another tab. It knows nothing of PageMCP.
 */

export const stores = ['letters', 'numbers', 'things', 'hidden'] as const
export const keysOf = 40 // keys of each store

/** The database of the writes; `things` has its keys inside, and an index. */
export function openDatabase(): Promise<IDBDatabase> {
  return new Promise((resolve, reject) => {
    const request = indexedDB.open('writes', 1)
    request.onupgradeneeded = () => {
      for (const store of [...stores, 'ends']) {
        const made = request.result.createObjectStore(
          store,
          store === 'things' ? { keyPath: 'id' } : {},
        )
        made.createIndex('by-kind', 'kind')
      }
    }
    request.onsuccess = () => resolve(request.result)
    request.onerror = () => reject(request.error)
  })
}

/** The nth key of a store. */
export function keyOf(store: string, n: number): IDBValidKey {
  if (store === 'letters') return `k${n}`
  return store === 'numbers' ? n / 2 : n
}

/**
 * Writes `count` times, several times in most transactions, and at last its name into the store `ends`.
 *
 * @param next - random whole numbers below its argument
 */
export async function write(name: string, count: number, next: (below: number) => number) {
  const db = await openDatabase()
  const kinds = ['a', 'b', 'c']
  for (let done = 0; done < count; ) {
    const chosen = next(8) === 0 ? [...stores] : [stores[next(stores.length)] as string]
    const transaction = db.transaction(chosen, 'readwrite', { durability: 'relaxed' })
    const ended = new Promise((resolve) => {
      transaction.oncomplete = resolve
      transaction.onabort = resolve
    })
    for (let acts = Math.min(1 + next(6), count - done); acts > 0; acts--) {
      done++
      const store = transaction.objectStore(chosen[next(chosen.length)] as string)
      const n = next(keysOf)
      const key = keyOf(store.name, n)
      const value = { ...(store.keyPath && { id: key }), by: name, at: done, kind: kinds[next(3)] }
      const explicit = store.keyPath ? [] : [key]
      const act = next(100)
      if (act < 55) store.put(value, ...explicit)
      else if (act < 70) {
        store.add(value, ...explicit).onerror = (event) => {
          event.preventDefault() // it is there already
          event.stopPropagation()
        }
      } else if (act < 82) store.delete(key)
      else if (act < 90) {
        store.openCursor(key).onsuccess = function () {
          this.result?.update(value)
        }
      } else if (act < 95) {
        store.openCursor(key).onsuccess = function () {
          this.result?.delete()
        }
      } else if (act < 97)
        store.delete(IDBKeyRange.bound(...inOrder(key, keyOf(store.name, n + 3))))
      else if (act < 98) store.clear()
      else if (act < 99) {
        transaction.abort() // which undoes all of it
        break
      } else store.put(value, ...explicit)
    }
    await ended
  }
  await new Promise((resolve) => {
    const transaction = db.transaction('ends', 'readwrite')
    transaction.oncomplete = resolve
    transaction.objectStore('ends').put({ by: name }, name)
  })
  db.close()
}

function inOrder(a: IDBValidKey, b: IDBValidKey): [IDBValidKey, IDBValidKey] {
  return indexedDB.cmp(a, b) > 0 ? [b, a] : [a, b]
}
