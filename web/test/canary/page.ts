/**
 * Runs in a page: plants a word in private places, and serves everything else. No place may lead to a
 * byte that leaves the page.
 */

/** What must not leave; each place has a number behind it. */
const word = 'CANARY'

/** An element by its attributes and children: no HTML text, which trusted types would refuse. */
function make(
  tag: string,
  attributes: Record<string, string> = {},
  ...children: (Node | string)[]
) {
  const element = document.createElement(tag)
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value)
  element.append(...children)
  return element
}

/** A style by its properties: an attribute would be refused by the policy. */
function styled(css: Partial<CSSStyleDeclaration>, ...children: (Node | string)[]) {
  const element = make('p', {}, ...children)
  Object.assign(element.style, css)
  return element
}

/** Every private place; the canary is what has to be put there. test/page/hiding.ts has more ways to hide text. */
const places: { readonly [place: string]: (canary: string, body: HTMLElement) => unknown } = {
  'a password': (canary, body) => body.append(field({ type: 'password' }, canary)),
  'a password that is shown': (canary, body) =>
    body.append(field({ type: 'text', autocomplete: 'current-password' }, canary)),
  'a new password': (canary, body) =>
    body.append(field({ autocomplete: 'section-a new-password' }, canary)),
  'a card number': (canary, body) => body.append(field({ autocomplete: 'cc-number' }, canary)),
  'a card code': (canary, body) => body.append(field({ autocomplete: 'billing cc-csc' }, canary)),
  'a one-time code': (canary, body) =>
    body.append(field({ autocomplete: 'one-time-code' }, canary)),
  'a hidden field': (canary, body) => body.append(field({ type: 'hidden' }, canary)),
  'an open field': (canary, body) => body.append(field({ type: 'text', name: 'comment' }, canary)),
  'a text area': (canary, body) => body.append(make('textarea', {}, canary)),
  'a choice': (canary, body) =>
    body.append(make('select', {}, make('option', { value: canary }, canary))),
  'a draft': (canary, body) =>
    body.append(make('div', { contenteditable: '' }, make('p', {}, canary))),
  'a draft of plain text': (canary, body) =>
    body.append(
      make('div', { contenteditable: 'plaintext-only', autocomplete: 'one-time-code' }, canary),
    ),
  'a text box': (canary, body) =>
    body.append(make('div', { role: 'textbox', contenteditable: 'false' }, canary)),
  'a cookie': (canary) => {
    // biome-ignore lint/suspicious/noDocumentCookie: as apps do, in both browsers
    document.cookie = `preference=${canary}; path=/; SameSite=Strict`
  },
  'a private part': (canary, body) =>
    body.append(
      make('div', { 'data-mcp-private': '' }, make('h2', {}, canary), make('p', {}, canary)),
    ),
  'a comment': (canary, body) => body.append(document.createComment(canary)),
  'what is not displayed': (canary, body) => body.append(styled({ display: 'none' }, canary)),
  'a template': (canary, body) => {
    const template = make('template') as HTMLTemplateElement
    template.content.append(make('p', {}, canary))
    body.append(template)
  },
  noscript: (canary, body) => body.append(make('noscript', {}, canary)),
  'a script that is data': (canary, body) => {
    const script = document.createElement('script')
    script.type = 'application/json'
    script.append(canary)
    body.append(script)
  },
  'attributes for programs': (canary, body) =>
    body.append(
      make(
        'p',
        { 'data-secret': canary, title: canary, 'aria-label': canary, class: canary },
        'text',
      ),
    ),
  'an alternative text': (canary, body) =>
    body.append(make('img', { alt: canary, src: '/favicon.ico', width: '9', height: '9' })),
  'a link with a token': (canary, body) =>
    body.append(
      make(
        'a',
        {
          href: `/next?access_token=${canary}&next=${encodeURIComponent(`https://a:${canary}@b.example/#id_token=${canary}`)}`,
        },
        'link',
      ),
    ),
  'a script in a link': (canary, body) =>
    body.append(make('a', { href: `javascript:void '${canary}'` }, 'link')),
  'a picture in a URL': (canary, body) =>
    body.append(
      make('img', {
        src: `data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg'><text>${canary}</text></svg>`,
        width: '9',
        height: '9',
      }),
    ),
  'an open shadow tree, not displayed': (canary, body) => {
    const host = make('div')
    host.attachShadow({ mode: 'open' }).append(styled({ display: 'none' }, canary))
    body.append(host)
  },
  'a closed shadow tree': (canary, body) => {
    const host = make('div')
    host.attachShadow({ mode: 'closed' }).append(make('p', {}, canary))
    body.append(host)
  },
  'what is outside of the selected elements': (canary) =>
    document.body.append(make('aside', {}, make('h2', {}, canary), canary)),
  'a frame of another origin': (canary, body) => {
    body.append(make('iframe', { sandbox: '', srcdoc: `<p>${canary}</p>`, name: canary }))
  },
  'a frame of this origin': (canary, body) => {
    const frame = make('iframe') as HTMLIFrameElement
    body.append(frame)
    frame.contentDocument?.body.append(canary)
  },
  'the address': (canary) =>
    history.replaceState({ canary }, '', `?page=1&token=${canary}#access_token=${canary}&x=1`),
  'a canonical address': (canary) =>
    document.head.append(
      make('link', { rel: 'canonical', href: `https://a:${canary}@b.example/?code=${canary}` }),
    ),
  'a description of another kind': (canary) =>
    document.head.append(make('meta', { name: 'csrf-token', content: canary })),
  'storage: a key that is not named': (canary) => localStorage.setItem('other', canary),
  'storage: a secret key of a prefix': (canary) => localStorage.setItem('draft:token', canary),
  'storage: a session key': (canary) => sessionStorage.setItem('step', canary),
  'a global': (canary) => Object.assign(globalThis, { account: { canary } }),
  'a database': (canary) => database('other-app', 'notes', { canary }),
  'another store': (canary) => database('canary-app', 'drafts', { canary }),
  'a field of a record that is not named': (canary) =>
    database('canary-app', 'notes', { title: 'open note', pin: canary }),
}

function field(attributes: Record<string, string>, value: string) {
  const input = make('input', attributes) as HTMLInputElement
  input.value = value
  input.setAttribute('value', value)
  return make('label', {}, 'A field ', input)
}

function database(name: string, store: string, value: unknown): Promise<void> {
  return new Promise((resolve, reject) => {
    const open = indexedDB.open(name, 1)
    open.onerror = () => reject(open.error)
    open.onupgradeneeded = () => {
      for (const one of ['notes', 'drafts'])
        open.result.createObjectStore(one, { autoIncrement: true })
    }
    open.onsuccess = () => {
      const transaction = open.result.transaction(store, 'readwrite')
      transaction.objectStore(store).put(value)
      transaction.oncomplete = () => {
        open.result.close()
        resolve()
      }
    }
  })
}

/** Plants everything; returns the places, by number. */
export async function plant(): Promise<string[]> {
  const body = make(
    'main',
    {},
    make('h1', {}, 'Seen by everybody'),
    make('p', {}, 'Text that may be read.'),
  )
  document.body.append(body)
  for (const [i, put] of Object.values(places).entries()) await put(`${word}${i}x`, body)
  localStorage.setItem('theme', 'dark')
  localStorage.setItem('draft:1', '{"text":"open draft"}')
  getSelection()?.selectAllChildren(document.body)
  return Object.keys(places)
}

/** Mounts what may be read, with the package that was imported. */
// biome-ignore lint/suspicious/noExplicitAny: the package as it is built, whatever sources it has
export async function serveAll({ idb, page, start, storage, tabs }: any) {
  const mcp = await start({ name: 'canary' })
  mcp.mount(page({ select: ['main'] }))
  mcp.mount(storage({ local: ['theme', { prefix: 'draft:' }] }))
  const notes = { title: 'title', fields: ['title'] }
  mcp.mount(idb({ databases: { 'canary-app': { notes } } }))
  mcp.mount(tabs({ text: ['main'] }))
  return mcp
}
