/** @jsxImportSource preact */
/**
 * A list of any length. Rows are drawn in groups: a group that is far from the view is one empty element of the height
 * that it had, or, before it was drawn, of the height of the first group.
 */

import type { ComponentChildren, RefObject } from 'preact'
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'

const groupLength = 100 // rows

/** How far from the view rows are drawn. */
const margin = 800 // px

interface Props<T> {
  items: readonly T[]
  /** A list item. It has the key. */
  row(item: T): ComponentChildren
}

export function LazyList<T>({ items, row }: Props<T>) {
  const groups = Array.from({ length: Math.ceil(items.length / groupLength) }, (_, i) =>
    items.slice(i * groupLength, (i + 1) * groupLength),
  )
  const first = useRef<HTMLUListElement>(null)
  const [estimate, setEstimate] = useState(0) // px, of a group
  const isLong = groups.length > 1
  useLayoutEffect(() => {
    if (isLong) setEstimate(first.current?.getBoundingClientRect().height ?? 0)
  }, [isLong])
  if (!isLong) return <ul class="explore-list">{items.map(row)}</ul>
  return (
    <>
      {groups.map((group, i) => (
        <Group
          key={i}
          items={group}
          row={row}
          first={i === 0 ? first : undefined}
          estimate={estimate}
        />
      ))}
    </>
  )
}

interface GroupProps<T> extends Props<T> {
  /** For the element of the first group, which is drawn at once. */
  first: RefObject<HTMLUListElement | null> | undefined
  estimate: number
}

function Group<T>({ items, row, first, estimate }: GroupProps<T>) {
  const own = useRef<HTMLUListElement>(null)
  const element = first ?? own
  const height = useRef<number>(undefined)
  const [near, setNear] = useState(first !== undefined)
  useEffect(() => {
    const list = element.current
    if (!list) return
    const observer = new IntersectionObserver(
      ([entry]) => {
        if (!entry) return
        const { isIntersecting, boundingClientRect } = entry
        // The focus stays where it is.
        const keep = !isIntersecting && list.contains(document.activeElement)
        if (!isIntersecting && boundingClientRect.height > 0) {
          height.current = boundingClientRect.height
        }
        setNear(isIntersecting || keep)
      },
      { root: list.closest('.scroll'), rootMargin: `${margin}px 0px` },
    )
    observer.observe(list)
    return () => observer.disconnect()
  }, [element])
  const empty = height.current ?? (estimate * items.length) / groupLength
  return (
    <ul class="explore-list" ref={element} style={near ? undefined : { blockSize: `${empty}px` }}>
      {near ? items.map(row) : null}
    </ul>
  )
}
