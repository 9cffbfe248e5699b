/** Loads `<mcp-playground>` of a page when it comes into view: its lesson is a megabyte with an engine of its own. */

/**
 * @param playground - URL of the directory of the playground, which is beside the documentation
 */
export function loadInView(element: HTMLElement, playground: URL): void {
  const { lang, dataset } = document.documentElement
  element.lang = lang
  if (dataset.theme) element.setAttribute('theme', dataset.theme)
  const seen = new IntersectionObserver(
    (entries) => {
      if (!entries.some(({ isIntersecting }) => isIntersecting)) return
      seen.disconnect()
      import(new URL('element.js', playground).href).catch(reportError) // the link in the element stays
    },
    { rootMargin: '200px' },
  )
  seen.observe(element)
}
