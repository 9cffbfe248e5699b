/** The frontmatter of skills, compared with a YAML parser that is not ours. */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parse } from 'yaml'
import { readFrontmatter, writeFrontmatter } from '../../src/frontmatter.ts'
import type { Json } from '../../src/source.ts'

/** What YAML parsers of both versions in use read, without the lines around it. */
function parsed(markdown: string): unknown[] {
  const yaml = markdown.split('\n---')[0]?.replace(/^---\n/, '') ?? ''
  return (['1.1', '1.2'] as const).map((version) => parse(yaml, { version }))
}

const objects: Record<string, Record<string, Json>> = {
  'the required fields': { name: 'a', description: 'b' },
  'texts that YAML could read as something else': {
    name: 'no',
    description: 'yes: #1',
    license: '2024-01-01',
    a: '1.0',
    b: '~',
    c: '',
    d: ' x ',
    e: '012',
    f: '1:20',
    g: "it's",
    h: '"',
    i: '\\',
    j: '- x',
    k: '---',
  },
  'line ends, other scripts and emoji': { name: 'a', description: 'é\n日本\t🙂\r\n— “x”' },
  'mappings, lists and numbers': {
    name: 'a',
    description: 'b',
    metadata: { version: '1.2', 'x y': 'z', on: 'true', '1': '2', nested: { deep: {} } },
    list: ['a', 1, true, null, -1.5, { b: [] }],
    n: 0,
    t: true,
    u: null,
  },
}

for (const [what, object] of Object.entries(objects)) {
  test(`${what} are read from YAML as they were written`, () => {
    const markdown = `${writeFrontmatter(object)}\n# Text\n\n---\n`
    for (const value of parsed(markdown)) assert.deepEqual(value, object)
    assert.deepEqual(readFrontmatter(markdown), object)
  })
}

const documents: Record<string, string> = {
  'plain and quoted texts': `name: a-b
description: "Use it, when: \\"x\\" \\u00e9" # why
license: 'it''s MIT'
other: a text with a # comment
'a key': 1.2.3
"another": v1 , x - y`,
  blocks: `name: a
description: >
  Folded text
  of lines,

  and a paragraph.

more: |-
  kept

    indented
  # no comment
last: >-
  end`,
  'mappings and lists': `# first
name: a

metadata:
    version: "1"  # second
    inner:
      x: w
tools:
- a
- "b c"
-   3
indented:
  - x
empty:
json: {"a": [1, "b"]}
integer: -12
f: 3.50
t: True
z: null`,
  'Windows line ends': 'name: a\r\ndescription: |\r\n  b\r\n  c',
}

for (const [what, yaml] of Object.entries(documents)) {
  test(`${what} are read as YAML parsers read them`, () => {
    const markdown = `---\n${yaml}\n---\n# Text`
    const expected = parse(yaml)
    assert.deepEqual(readFrontmatter(markdown), expected)
    assert.deepEqual(parse(yaml, { version: '1.1' }), expected)
  })
}

const refused: Record<string, [yaml: string, error: RegExp]> = {
  'no frontmatter': ['', /must begin with frontmatter/],
  'no mapping': ['---\njust text\n---', /line 2: this is not "key: value"/],
  'a boolean of YAML 1.1': ['---\na: yes\n---', /line 2: put yes in quotation marks/],
  'a date': ['---\na: 2024-01-31\n---', /put 2024-01-31 in quotation marks/],
  'a time': ['---\na: 1:20\n---', /put 1:20 in quotation marks/],
  'an octal number': ['---\na: 0o17\nb: 017\n---', /put 0o17/],
  'a number with an exponent': ['---\na: 1e3\n---', /put 1e3/],
  infinity: ['---\na: .inf\n---', /put \.inf/],
  'a colon in a plain text': ['---\na: b: c\n---', /put the text in quotation marks: b: c/],
  'an anchor': ['---\na: &x b\n---', /put the text in quotation marks/],
  'an alias': ['---\na: *x\n---', /put the text in quotation marks/],
  'a tag': ['---\na: !!str 1\n---', /put the text in quotation marks/],
  'a merge key': ['---\n<<: x\na: b: c\n---', /put the text/],
  'a text over lines': [
    '---\na: b\n  c\n---',
    /line 3: begin a text of several lines with \| or >/,
  ],
  'a key twice': ['---\na: 1\n\na: 2\n---', /line 4: a is there twice/],
  __proto__: ['---\n__proto__: 1\n---', /__proto__ is there twice/],
  tabs: ['---\na:\n\tb: 1\n---', /line 3: indent by blanks/],
  'an odd indentation': ['---\na: 1\n  b: 2\n---', /line 3/],
  'an escape that JSON does not have': ['---\na: "\\x41"\n---', /write this as JSON/],
  'a flow sequence that is no JSON': ['---\na: [b, c]\n---', /write this as JSON/],
  'a mapping in a list': ['---\na:\n- b: c\n---', /line 3: put the text/],
  'an open quotation': ['---\na: "b\n---', /put the text in quotation marks/],
  'a keeping block': ['---\na: |+\n  b\n---', /only \|, \|-, > and >-/],
  'more indentation in a folded text': ['---\na: >\n  b\n    c\n---', /indented alike/],
  'an end that is missing': ['---\na: 1\n', /must begin with frontmatter/],
}

for (const [what, [markdown, error]] of Object.entries(refused)) {
  test(`${what}: refused with the line`, () => {
    assert.throws(
      () => readFrontmatter(markdown),
      (thrown: unknown) => thrown instanceof TypeError && error.test(thrown.message),
    )
  })
}
