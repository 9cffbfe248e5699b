/** @jsxImportSource preact */
/** Text with `code` between backticks: names of the protocol, which are not translated. Revisions are not wrapped. */

const parts = /(`[^`]*`|\d{4}-\d\d-\d\d)/

export function InlineCode({ text }: { text: string }) {
  return (
    <>
      {text.split(parts).map((part, i) => {
        if (i % 2 === 0) return part
        if (!part.startsWith('`')) return <span class="nowrap">{part}</span>
        return (
          <code lang="en" translate={false}>
            {part.slice(1, -1)}
          </code>
        )
      })}
    </>
  )
}
