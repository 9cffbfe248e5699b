/**
 * The dock: a column beside the panes, on a narrow screen a row below them, for pages that run in frames. It is no part
 * of the view that is drawn anew: a frame that is moved in the document loads again, and one that is not displayed stops.
 */

let dock: HTMLElement | undefined

/** Adds an element at the end of the dock, for one kind of frames. */
export function docked(className: string): HTMLElement {
  if (dock === undefined) {
    dock = document.createElement('aside')
    dock.className = 'dock'
    document.body.append(dock)
  }
  const box = document.createElement('div')
  box.className = className
  dock.append(box)
  return box
}
