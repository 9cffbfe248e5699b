/** Parts of what the user decides by: the dialog about the page, and its list of assistants. */

/** How long clicks are ignored, ms: a dialog may appear under a click that was meant for the page. */
export const clickGuard = 500

/** Whether any document around this one is of another origin, and could cover a dialog. */
export function isFramed(): boolean {
  try {
    for (let one: Window = window; one !== one.parent; one = one.parent) {
      if (one.parent.origin !== self.origin) return true
    }
    return false
  } catch {
    return true // it is not for this document to know
  }
}

/**
 * Guards buttons by which the user gives something away: in dialogs, panels and frames of apps. A click counts if the user
 * made it, no document of another origin is around this one, and {@link clickGuard} has passed without any other since the
 * buttons appeared: who is clicking or typing already means something else. Call `arm` when they appear; `takes` says
 * whether an event on a button is one that the user has meant.
 */
export function guardClicks(signal?: AbortSignal) {
  let armed = 0
  const arm = () => {
    armed = performance.now() + clickGuard
  }
  const isArmed = () => performance.now() >= armed
  for (const type of ['pointerdown', 'click', 'keydown']) {
    addEventListener(type, (event) => event.isTrusted && !isArmed() && arm(), {
      capture: true,
      ...(signal && { signal }),
    })
  }
  return { arm, isArmed, takes: (event: Event) => event.isTrusted && isArmed() && !isFramed() }
}

/** Makes an element. Texts become text nodes, never HTML. */
export function element<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  properties: Partial<HTMLElementTagNameMap[K]>,
  ...children: (string | Node)[]
): HTMLElementTagNameMap[K] {
  const made = Object.assign(document.createElement(tag), properties)
  made.append(...children)
  return made
}

/** A constructed style sheet: allowed under every Content-Security-Policy. */
export function styleSheet(css: string): CSSStyleSheet {
  const sheet = new CSSStyleSheet()
  sheet.replaceSync(css)
  return sheet
}
