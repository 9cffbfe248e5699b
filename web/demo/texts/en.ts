/** Texts of the start page, in English. */

/** A demo as the start page shows it; `sample`: words in its picture. */
interface DemoTexts {
  title: string
  text: string
  sample: readonly string[]
}

const demos: { readonly [name: string]: DemoTexts } = {
  notes: {
    title: 'Notes',
    text: 'A notes app on IndexedDB. Assistants read its notes and get notified of your changes; you see what they read.',
    sample: ['Shopping', 'Lemons', 'Olive oil'],
  },
  trip: {
    title: 'Trip',
    text: 'A planner in React. Assistants read the plan, add stops while you watch, and ask before they remove one.',
    sample: ['Lisbon', 'Sintra', 'Porto'],
  },
  board: {
    title: 'Board',
    text: 'A board of sticky notes: each open tab is one. Assistants read all of them through any tab.',
    sample: ['Tent', 'Chairs', 'Charcoal'],
  },
  drop: {
    title: 'Drop',
    text: 'Drop files into this browser’s private file system. Assistants list and read them, and get notified of each change.',
    sample: ['recipe.md', 'expenses.csv'],
  },
  world: {
    title: 'A small world',
    text: 'Files, a log, a table, a screen, the weather and an agent with a prompt: one of each kind of data, all changing.',
    sample: ['22 °C', 'Clear'],
  },
}

export const texts = {
  description: 'PageMCP turns a web page into an MCP server.',
  title: 'Your web page is an MCP server.',
  lead: 'An engine in this browser serves what a page holds, assistants read it through a gateway on this machine, and pass what they read to the provider of their model.',
  docs: 'Documentation',
  playground: 'Open the playground',
  playgroundAbout:
    'Compose MCP messages, see what comes back, take the lessons. It needs no installation.',
  scene: {
    page: 'Shopping',
    item: 'Lemons',
    added: 'Olive oil',
    ask: 'What do I still have to buy?',
    reply: 'Lemons and olive oil.',
  },
  state: {
    looking: ['Looking for the gateway', 'One moment.'],
    paired: [
      'This browser is paired',
      'The demos join the gateway by themselves, now and after every reload.',
    ],
    silent: [
      'The gateway does not respond',
      'Is “pagemcp dev” still running? This page keeps trying.',
    ],
    expired: [
      'This link has expired, or was used before',
      'Press Enter in the terminal where “pagemcp dev” runs, and open the link that it prints.',
    ],
    unpaired: [
      'This browser is not paired yet',
      'Open the link that “pagemcp dev” has printed in its terminal. Press Enter there for a new one.',
    ],
    failed: ['Pairing did not work', ''],
  } as {
    readonly [is in 'looking' | 'paired' | 'silent' | 'expired' | 'unpaired' | 'failed']: readonly [
      string,
      string,
    ]
  },
  traffic: 'Who reads your pages',
  noReaders: 'No assistant has read anything today.',
  joinedPages: 'Joined pages',
  noPages: 'No page has joined yet. Open a demo, or a page of yours.',
  joinedAt: 'joined at {time}',
  pageAway: 'away',
  unnamed: 'Assistant without a name',
  callsItself: 'calls itself “{name}” (not verified)',
  readToday: 'read today: {pages}',
  ranToday: 'tools run: {count}',
  deniedToday: 'denied: {count}',
  lastAt: 'last at {time}',
  stop: 'Stop',
  stopAll: 'Stop all',
  stoppedUntil: 'Stopped until {time}; “pagemcp resume” ends that',
  demos: 'Demos',
  demosAbout: 'Web apps that assistants can read.',
  connect: 'Connect an assistant',
  pending: 'Requesting the address…',
  noGateway:
    'Assistants connect to the gateway, a program on your machine. `pagemcp dev` starts it, with these demos.',
  ask: 'Then ask it something',
  askText:
    '“What do I still have to buy?” Add something to the shopping list and ask again: the assistant is notified that the note has changed.',
  copy: 'Copy',
  copyWay: 'Copy: {title}',
  copied: 'Copied',
  pressCopy: 'Press Ctrl+C',
  noToken: 'No token is needed.',
  tokenIn: 'The bearer token is the line in {file}.',
  claude: 'In a terminal; then ask it to read your notes.',
  vsCode: 'In a terminal; then start the server by “MCP: List Servers”.',
  others: 'Other assistants',
  othersHint: 'Lists their names, for the same command. Below is what to enter by hand.',
  curl: 'Or any HTTP client: protocol 2026-07-28 needs no handshake.',
  command: 'Assistants that start a command',
  commandHint: 'They need no token.',
  demoTexts: demos,
}

export type StartTexts = typeof texts
