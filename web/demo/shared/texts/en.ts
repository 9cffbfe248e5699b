/** Texts of every demo, in English. */
export const texts = {
  home: 'PageMCP, start page',
  language: 'Language',
  watch: 'Watch in the playground',
  newTab: 'opens in a new tab',
  starting: 'Starting',
  looking: 'Looking for the gateway',
  joined: 'Joined as {name}',
  away: 'Gateway away',
  notPaired: 'Not paired',
  refused: 'Refused',
  notServed: 'Not served',
  awayAdvice:
    'The gateway does not respond. This page joins again as soon as it is back. Is “pagemcp dev” still running?',
  pairAdvice:
    'Assistants cannot read this page yet. Open the link that “pagemcp dev” prints in its terminal; press Enter there for a new one.',
  linkAdvice:
    'The link has expired, or was used before. Press Enter in the terminal where “pagemcp dev” runs, and open the new link.',
  otherAdvice:
    'This link is an invitation of another gateway. This page joins {gateway}: open the link that this gateway prints.',
  failAdvice: 'The engine did not start: {reason}',
  stopAdvice:
    'The engine has stopped. Reload the page; if that does not help, the console says more.',
  retry: 'Try again',
  explain: 'What to do',
  undo: 'Undo',
  reads: 'Read by assistants',
  requests: 'Requests, the newest first',
  nothing: 'No assistant has asked for anything yet.',
  connectAndAsk: 'Connect an assistant and ask: {question}',
  kind: { read: 'read', tool: 'tool', prompt: 'prompt' },
  outcome: { answered: 'ok', failed: 'failed' },
}

export type Shared = typeof texts
