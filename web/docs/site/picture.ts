/** Lets readers stop a moving picture, or play it although they prefer less motion. WCAG 2.2, 2.2.2. */

/**
 * Adds a button behind a picture whose `source` is a still frame for `prefers-reduced-motion`.
 *
 * @param labels - of the button, in the language of the page
 */
export function addPause(
  picture: HTMLPictureElement,
  labels: { readonly play: string; readonly pause: string },
): void {
  const still = picture.querySelector('source')
  if (still === null) return
  let stopped = matchMedia(still.media).matches
  const button = document.createElement('button')
  button.type = 'button'
  button.className = 'pause'
  const show = () => {
    still.media = stopped ? 'all' : 'not all'
    button.textContent = stopped ? labels.play : labels.pause
  }
  button.addEventListener('click', () => {
    stopped = !stopped
    show()
  })
  show()
  picture.after(button)
}
