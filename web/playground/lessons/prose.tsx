/** @jsxImportSource preact */
/** Text with `code` in it, between backticks: words of the protocol, which are in no language. */

export function Prose({ text }: { text: string }) {
  return (
    <>
      {text.split('`').map((part, i) =>
        i % 2 === 0 ? (
          part
        ) : (
          <code key={i} lang="en" translate={false}>
            {part}
          </code>
        ),
      )}
    </>
  )
}
