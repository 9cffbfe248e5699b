/**
 * Parts of the dialogs in which the user decides about the page. The page's style sheets do not reach them, and they need
 * none of its Content-Security-Policy.
 */

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

/** Decides which clicks count: see {@link guardClicks}. */
export interface ClickGuard {
  /** Clicks count {@link clickGuard} later. */
  arm(): void
  isArmed(): boolean
  /** Whether an event on a button is one that the user has meant. */
  takes(event: Event): boolean
}

/**
 * Guards buttons by which the user gives something away: in dialogs, panels and frames of apps. A click counts if the user
 * made it, no document of another origin is around this one, and {@link clickGuard} has passed without any other since the
 * buttons appeared: who is clicking or typing already means something else. Call `arm` when they appear.
 */
export function guardClicks(signal?: AbortSignal): ClickGuard {
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
  return { arm, isArmed, takes: (event) => event.isTrusted && isArmed() && !isFramed() }
}

export function button(text: string, name: string): HTMLButtonElement {
  const made = element('button', text, [], name)
  made.type = 'button'
  return made
}

/** Texts become text nodes, never HTML. */
export function element<K extends keyof HTMLElementTagNameMap>(
  name: K,
  text: string,
  children: Node[] = [],
  className = '',
): HTMLElementTagNameMap[K] {
  const made = document.createElement(name)
  made.className = className
  if (text !== '') made.textContent = text
  made.append(...children)
  return made
}

/**
 * A constructed style sheet: allowed under every Content-Security-Policy. Sizes are in `em`, since `rem` is the page's.
 *
 * @param further - rules of one dialog
 */
export function styles(further = ''): CSSStyleSheet {
  const sheet = new CSSStyleSheet()
  sheet.replaceSync(`
:host { all: initial }
dialog { box-sizing: border-box; width: min(30em, calc(100vw - 2em)); padding: 1.25em; border: 1px solid #8888;
  border-radius: .75em; background: Canvas; color: CanvasText; color-scheme: light dark; font: medium/1.5 system-ui, sans-serif }
dialog::backdrop { background: #0009 }
h2 { margin: 0 0 .75em; font-size: 1.125em }
p { margin: 0 0 .75em }
.address { font-family: ui-monospace, monospace; overflow-wrap: anywhere }
.buttons { display: flex; flex-wrap: wrap; gap: .5em }
button { font: inherit; padding: .5em .875em; border: 1px solid #8888; border-radius: .5em; background: ButtonFace;
  color: ButtonText; cursor: pointer }
.keep { font-weight: 600 }
button:focus-visible { outline: 3px solid Highlight; outline-offset: 2px }
${further}`)
  return sheet
}
