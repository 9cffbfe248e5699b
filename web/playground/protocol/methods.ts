/**
 * All methods by revision: sender, required capability, types of params and result in types.ts, and page of
 * the specification.
 */

import { type Revision, revisions } from './revisions.ts'

export interface Method {
  name: string
  kind: 'request' | 'notification'
  /** The sender. */
  from: 'client' | 'server' | 'both'
  /**
   * The capability that the *receiver* of a request, or the sender of a notification, must have declared;
   * `resources.subscribe` is a member of one, `+tasks` an extension of {@link extensions}. `''`: none.
   */
  needs: string
  /** Types of types.ts; a notification has no result. */
  params: string
  result: string
  /** Below `https://modelcontextprotocol.io/specification/REVISION/`, or the URL of the page of an extension. */
  page: string
  /** In 2026-07-28, requests of servers are part of a result that needs input, not messages of their own. */
  inside?: boolean
}

/** `name kind from needs params result revisions page`; C, D and E are the revisions, oldest first. */
const table = `
server/discover > client - Bare DiscoverResult E server/discover
initialize > client - InitializeParams InitializeResult CD basic/lifecycle#initialization
notifications/initialized ! client - Note - CD basic/lifecycle#initialization
ping > both - Bare EmptyResult CD basic/utilities/ping
resources/list > client resources Page ResourcesResult CDE server/resources#listing-resources
resources/templates/list > client resources Page TemplatesResult CDE server/resources#resource-templates
resources/read > client resources ReadParams ReadResult CDE server/resources#reading-resources
resources/subscribe > client resources.subscribe UriParams EmptyResult CD server/resources#subscriptions
resources/unsubscribe > client resources.subscribe UriParams EmptyResult CD server/resources#subscriptions
subscriptions/listen > client - ListenParams ListenResult E basic/patterns/subscriptions
notifications/subscriptions/acknowledged ! server - Acknowledged - E basic/patterns/subscriptions
notifications/resources/updated ! server resources.subscribe UpdatedNote - CDE server/resources#subscriptions
notifications/resources/list_changed ! server resources.listChanged Note - CDE server/resources#list-changed-notification
prompts/list > client prompts Page PromptsResult CDE server/prompts#listing-prompts
prompts/get > client prompts PromptParams PromptResult CDE server/prompts#getting-a-prompt
notifications/prompts/list_changed ! server prompts.listChanged Note - CDE server/prompts#list-changed-notification
tools/list > client tools Page ToolsResult CDE server/tools#listing-tools
tools/call > client tools CallParams CallResult CDE server/tools#calling-tools
notifications/tools/list_changed ! server tools.listChanged Note - CDE server/tools#list-changed-notification
completion/complete > client completions CompleteParams CompleteResult CDE server/utilities/completion
logging/setLevel > client logging LevelParams EmptyResult CD server/utilities/logging
notifications/message ! server logging LogNote - CDE server/utilities/logging
notifications/cancelled ! both - CancelledNote - CD basic/utilities/cancellation
notifications/cancelled ! both - CancelledNote - E basic/patterns/cancellation
notifications/progress ! both - ProgressNote - CD basic/utilities/progress
notifications/progress ! server - ProgressNote - E basic/patterns/progress
sampling/createMessage > server sampling SamplingParams SamplingResult CD client/sampling
sampling/createMessage * server sampling SamplingParams SamplingResult E client/sampling
elicitation/create > server elicitation ElicitParams ElicitResult CD client/elicitation
elicitation/create * server elicitation ElicitParams ElicitResult E client/elicitation
notifications/elicitation/complete ! server - ElicitedNote - D client/elicitation
roots/list > server roots Bare RootsResult CD client/roots
roots/list * server roots RootsParams RootsResult E client/roots
notifications/roots/list_changed ! client roots.listChanged Note - CD client/roots
tasks/list > both tasks.list Page TasksResult D basic/utilities/tasks
tasks/get > both tasks TaskParams TaskResult D basic/utilities/tasks
tasks/result > both tasks TaskParams AnyResult D basic/utilities/tasks
tasks/cancel > both tasks.cancel TaskParams TaskResult D basic/utilities/tasks
notifications/tasks/status ! both tasks TaskNote - D basic/utilities/tasks
tasks/get > client +tasks TaskParams TaskResult E task-polling
tasks/update > client +tasks TaskUpdateParams EmptyResult E task-update-requests
tasks/cancel > client +tasks TaskParams EmptyResult E task-cancellation
notifications/tasks ! server +tasks TaskNote - E task-status-notifications
skills/list > client +skills Page Paged E
skills/get > client +skills UriParams AnyResult E`

/** Extensions of 2026-07-28 by the names of the table: identifier, and where it is specified. */
const extensions: { readonly [name: string]: { readonly id: string; readonly page: string } } = {
  tasks: {
    id: 'io.modelcontextprotocol/tasks',
    page: 'https://github.com/modelcontextprotocol/ext-tasks/blob/main/specification/draft/tasks.md',
  },
  skills: {
    id: 'io.modelcontextprotocol/skills',
    page: 'https://github.com/modelcontextprotocol/modelcontextprotocol/pull/2640',
  },
}

const extensionOf = (needs: string) => (needs[0] === '+' ? extensions[needs.slice(1)] : undefined)

/** The identifier of the extension that a method belongs to; undefined: it belongs to the revision. */
export const extensionId = ({ needs }: Pick<Method, 'needs'>): string | undefined =>
  extensionOf(needs)?.id

/** Letters of the tables here and in types.ts. */
export const letterOf = (revision: Revision): string => 'CDE'[revisions.indexOf(revision)] as string

const read = new Map<Revision, readonly Method[]>()

/** The methods of a revision, in the order of the lessons: handshake first, without inner requests. */
export function methodsOf(revision: Revision): readonly Method[] {
  return all(revision).filter(({ inside }) => !inside)
}

/** A method of a revision, including inner requests; undefined: the revision does not have it. */
export function methodNamed(revision: Revision, name: string): Method | undefined {
  return all(revision).find((method) => method.name === name)
}

/** The supported revisions that have a method as a message of its own. */
export function revisionsOf(name: string): readonly Revision[] {
  return revisions.filter((revision) => methodsOf(revision).some((method) => method.name === name))
}

/** The URL of a page of the specification, or of a section. */
export const specUrl = (revision: Revision, page: string): string =>
  page.startsWith('https:')
    ? page
    : `https://modelcontextprotocol.io/specification/${revision}/${page}`

function all(revision: Revision): readonly Method[] {
  const known = read.get(revision)
  if (known) return known
  const methods: Method[] = []
  for (const line of table.trim().split('\n')) {
    const [name = '', mark, from, needs, params = '', result = '', letters, page = ''] =
      line.split(' ')
    if (!letters?.includes(letterOf(revision))) continue
    const extension = extensionOf(needs ?? '')
    methods.push({
      name,
      kind: mark === '!' ? 'notification' : 'request',
      from: from as Method['from'],
      needs: needs === '-' ? '' : (needs ?? ''),
      params,
      result: result === '-' ? '' : result,
      page: extension ? [extension.page, page].filter(Boolean).join('#') : page,
      ...(mark === '*' && { inside: true }),
    })
  }
  read.set(revision, methods)
  return methods
}

/**
 * The missing capability that prevents a method, from the sender's view; `''`: none is missing.
 *
 * @param capabilities - of the other side
 */
export function missingCapability(
  { needs }: Method,
  capabilities: Readonly<Record<string, unknown>>,
): string {
  let here: unknown = capabilities
  const extension = extensionOf(needs)
  const path = extension ? ['extensions', extension.id] : needs ? needs.split('.') : []
  for (const name of path) {
    here = (here as Readonly<Record<string, unknown>> | undefined)?.[name]
    if (here === undefined || here === false) return extension?.id ?? needs
  }
  return ''
}
