/** @jsxImportSource preact */
/**
 * A list of any length. Rows are drawn in groups, and these in larger ones: a group that is far from the view is one
 * empty element of the height that it had, or, before it was drawn, of as many rows as high as the first ones.
 */

import { type Signal, useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'

/** Rows of a group: no more are drawn in the task that shows the list. */
const groupLength = 25

/** Rows of a group of groups, since 400 elements with an observer each take as long as 40 rows. */
const largeLength = 1000

/** How far from the view rows are drawn. */
const margin = 800 // px

interface Props<T> {
  items: readonly T[]
  /** A list item. It has the key. */
  row(item: T): ComponentChildren
}

export function LazyList<T>({ items, row }: Props<T>) {
  const rowHeight = useSignal(0) // px
  if (items.length <= groupLength) return <ul>{items.map(row)}</ul>
  const length = items.length > largeLength ? largeLength : groupLength
  return <Groups items={items} row={row} length={length} rowHeight={rowHeight} first />
}

interface GroupProps<T> extends Props<T> {
  rowHeight: Signal<number>
  /** Whether it begins the list, and is drawn at once. */
  first: boolean
}

function Groups<T>({ items, length, first, ...props }: GroupProps<T> & { length: number }) {
  return Array.from({ length: Math.ceil(items.length / length) }, (_, i) => (
    <Group
      key={i}
      {...props}
      items={items.slice(i * length, (i + 1) * length)}
      first={first && i === 0}
    />
  ))
}

function Group<T>({ items, row, rowHeight, first }: GroupProps<T>) {
  const own = useRef<HTMLDivElement>(null)
  const height = useRef<number>(undefined)
  const [near, setNear] = useState(first)
  const isLarge = items.length > groupLength
  useLayoutEffect(() => {
    if (!first || isLarge || !own.current) return
    rowHeight.value = own.current.getBoundingClientRect().height / items.length
  }, [first, isLarge])
  useEffect(() => {
    const group = own.current
    if (!group) return
    const observer = new IntersectionObserver(
      ([entry]) => {
        if (!entry) return
        const { isIntersecting, boundingClientRect } = entry
        // The focus stays where it is.
        const keep = !isIntersecting && group.contains(document.activeElement)
        if (!isIntersecting && boundingClientRect.height > 0) {
          height.current = boundingClientRect.height
        }
        setNear(isIntersecting || keep)
      },
      { root: group.closest('.scroll'), rootMargin: `${margin}px 0px` },
    )
    observer.observe(group)
    return () => observer.disconnect()
  }, [])
  const empty = height.current ?? rowHeight.value * items.length
  return (
    <div ref={own} style={near ? undefined : { blockSize: `${empty}px` }}>
      {!near ? null : isLarge ? (
        <Groups items={items} row={row} length={groupLength} rowHeight={rowHeight} first={first} />
      ) : (
        <ul>{items.map(row)}</ul>
      )}
    </div>
  )
}
