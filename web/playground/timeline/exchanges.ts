/** The rows of the time axis: a request and its response are one, the request's. */

import { effect, type Signal, useSignal } from '@preact/signals'
import { useLayoutEffect, useMemo } from 'preact/hooks'
import { connectionOf, named } from '../connections/names.ts'
import { store } from '../messages/log.ts'
import type { Store } from '../messages/store.ts'
import type { Test } from './filter.ts'
import { FilteredRows } from './filtered-rows.ts'
import { drawn, query, refiltered, shown } from './view.ts'

/** Excludes a response whose request is shown. */
export function folded(store: Store, test: Test = () => true): Test {
  return (row) => {
    const partner = store.partner(row)
    return test(row) && !(partner >= 0 && partner < row && test(partner))
  }
}

/** The matching rows without such responses. They follow {@link shown}, in slices. */
export function useExchanges(): FilteredRows {
  const rows = useMemo(() => new FilteredRows(store), [])
  const changes: Signal<number> = useSignal(0)
  useLayoutEffect(() => {
    let scheduled: ReturnType<typeof setTimeout> | undefined
    const advance = () => {
      clearTimeout(scheduled)
      scheduled = rows.advance(shown.scanned) ? undefined : setTimeout(advance)
      changes.value = changes.peek() + 1
    }
    let begun = -1
    const stop = effect(() => {
      drawn.value
      if (refiltered.value !== begun) {
        begun = refiltered.value
        rows.begin(folded(store, query.peek().compile(store, connectionOf)), true)
      }
      advance()
    })
    return () => {
      clearTimeout(scheduled)
      stop()
    }
  }, [])
  named.value
  changes.value
  return rows
}
