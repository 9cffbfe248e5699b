/** A page of 5,000 nodes, and what is to be read of it. */

const sections = Array.from({ length: 625 }, (_, i) => i) // of eight nodes each

export const largeHtml = sections
  .map(
    (i) =>
      `<section class="a b"><h3>Heading ${i}</h3><p>Some text with <a href="/x?i=${i}">a link</a> in it.</p></section>`,
  )
  .join('')

export const largeText = sections
  .map((i) => `Heading ${i}\n\nSome text with a link in it.`)
  .join('\n\n')

export const largeOutline = sections.map((i) => ({
  role: 'heading',
  level: 3,
  name: `Heading ${i}`,
}))
