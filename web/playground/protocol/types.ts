/**
 * What messages of MCP are made of, in our own words: a table that schema.ts makes JSON Schema of, and
 * the composer its completion, its hovers and its forms. It covers what a client or a server can send
 * in the revisions that the playground speaks; a test holds it against the official schemas. It is one
 * table, and so one file, however long.
 *
 *     Name < Mixin  @DE  # what it is        an object; `@` names the revisions, default all
 *       member?: type  @CD  # what it is     a member; `*` stands for all others
 *     Name = type  # what it is              another name for a type
 *
 * C is 2025-06-18, D 2025-11-25, E 2026-07-28. A type is a name, `"literal"`, `T[]`, `{T}` (an object
 * whose members are all T), or several with `|`. Built in: string number integer boolean null object any
 * uri bytes (base64), `0..1` (a number between), `0..` (an integer, not negative).
 */
export const types = `
Meta
  _meta?: object  # Facts about the message that are not part of it, by namespaced key.
Note  @CD  # A notification that says all by its name.
  _meta?: object  # Facts about the notification, by namespaced key.
Note  @E  # A notification that says all by its name.
  _meta?: NoteMeta  # Which subscription it belongs to.
NoteMeta  @E
  io.modelcontextprotocol/subscriptionId?: Id  # The id of the listen request that this notification answers.
Token = string | integer  # Chosen by the sender; comes back with each progress notification.
Id = string | integer  # The id of a request. 1 and "1" are two ids.
Bare  @CD  # Nothing is asked beside the method.
  _meta?: RequestMeta  # Facts about the request, by namespaced key.
Bare  @E  # Nothing is asked beside the method.
  _meta: RequestMeta  # The envelope: who asks, in which revision, with what abilities.
RequestMeta
  progressToken?: Token  # Asks for progress notifications, which carry this token.
  io.modelcontextprotocol/protocolVersion: string  @E  # The revision that this request is written in.
  io.modelcontextprotocol/clientCapabilities: ClientCapabilities  @E  # What this client can be asked for. Nothing is remembered from earlier requests.
  io.modelcontextprotocol/clientInfo?: Implementation  @E  # The program that asks.
  io.modelcontextprotocol/logLevel?: LogLevel  @E  # Asks for log messages of this level and above while the request runs.
Page < Bare  # A list is asked for, one page at a time.
  cursor?: string  # nextCursor of the page before; without it, the first page.
UriParams < Bare
  uri: uri  # Which resource.
Retry  @E
  inputResponses?: {InputResponse}  # Answers to the inputRequests of the result before, by their keys.
  requestState?: string  # Exactly as it came with the result that asked for input.
ReadParams < UriParams, Retry  # Contents of one resource are asked for.
PromptParams < Bare, Retry
  name: string  # Which prompt.
  arguments?: {string}  # Values for the arguments of the prompt.
CallParams < Bare, Retry
  name: string  # Which tool.
  arguments?: object  # What the inputSchema of the tool describes.
  task?: TaskWish  @D  # Asks for a task in place of the result.
CompleteParams < Bare  # Values for what somebody is typing.
  ref: PromptRef | TemplateRef  # What is filled in: a prompt or a template.
  argument: Argument  # The one that is being typed.
  context?: Context  # What was filled in before.
Argument
  name: string  # The name of the argument or the template variable.
  value: string  # What was typed so far.
Context
  arguments?: {string}  # Values of the other arguments.
PromptRef
  type: "ref/prompt"
  name: string  # The prompt.
  title?: string  # Its name for people.
TemplateRef
  type: "ref/resource"
  uri: string  # The uriTemplate, as it was listed, or a URI.
LevelParams < Bare
  level: LogLevel  # The lowest level that is sent from now on.
LogLevel = "debug" | "info" | "notice" | "warning" | "error" | "critical" | "alert" | "emergency"  # As in RFC 5424.
ListenParams < Bare  @E
  notifications: Filter  # What to be told of; may be empty.
Filter  @E  # Kinds of notifications. Those that are absent are not sent.
  resourceSubscriptions?: string[]  # URIs of the resources to be told of when they change.
  resourcesListChanged?: boolean  # Whether to be told when resources come or go.
  promptsListChanged?: boolean  # Whether to be told when prompts come or go.
  toolsListChanged?: boolean  # Whether to be told when tools come or go.
InitializeParams < Bare  @CD
  protocolVersion: string  # The newest revision that the client speaks.
  capabilities: ClientCapabilities  # What the client can be asked for.
  clientInfo: Implementation  # The program that asks.
ClientCapabilities  # What a client can be asked for.
  experimental?: {object}  # Abilities that are in no revision.
  extensions?: {object}  @E  # Extensions of the protocol, by identifier.
  roots?: RootsAbility  # It tells which folders it works in.
  sampling?: SamplingAbility  # It asks its language model.
  elicitation?: ElicitAbility  # It asks its user.
  tasks?: ClientTasks  @D  # It runs requests as tasks.
RootsAbility
  listChanged?: boolean  @CD  # It says when the folders change.
SamplingAbility
  context?: object  @DE  # includeContext may be used.
  tools?: object  @DE  # tools and toolChoice may be used.
ElicitAbility
  form?: object  @DE  # It shows forms.
  url?: object  @DE  # It opens URLs.
ServerCapabilities  # What a server has.
  experimental?: {object}  # Abilities that are in no revision.
  extensions?: {object}  @E  # Extensions of the protocol, by identifier.
  resources?: ResourcesAbility  # It has resources.
  prompts?: ListAbility  # It has prompts.
  tools?: ListAbility  # It has tools.
  completions?: object  # It completes arguments.
  logging?: object  # It sends log messages.
  tasks?: ServerTasks  @D  # It runs requests as tasks.
ResourcesAbility
  subscribe?: boolean  # It says when a resource changes.
  listChanged?: boolean  # It says when resources come or go.
ListAbility
  listChanged?: boolean  # It says when the list changes.
ClientTasks  @D
  list?: object  # Its tasks can be listed.
  cancel?: object  # Its tasks can be cancelled.
  requests?: ClientTaskRequests  # What it runs as a task.
ClientTaskRequests  @D
  sampling?: TaskSampling
  elicitation?: TaskElicitation
TaskSampling  @D
  createMessage?: object
TaskElicitation  @D
  create?: object
ServerTasks  @D
  list?: object  # Its tasks can be listed.
  cancel?: object  # Its tasks can be cancelled.
  requests?: ServerTaskRequests  # What it runs as a task.
ServerTaskRequests  @D
  tools?: TaskTools
TaskTools  @D
  call?: object
Implementation  # A program.
  name: string  # Its name for programs.
  title?: string  # Its name for people.
  version: string  # Its version.
  description?: string  @DE  # What it is for.
  websiteUrl?: uri  @DE  # Where to read about it.
  icons?: Icon[]  @DE  # Pictures of it, in several sizes.
Icon  @DE
  src: uri  # Where the picture is: https or data.
  mimeType?: string  # Its media type.
  sizes?: string[]  # Such as 48x48, or any.
  theme?: "light" | "dark"  # The background that it is made for.
Annotations  # Hints for whoever shows or chooses.
  audience?: Role[]  # Whom it is for.
  priority?: 0..1  # How much it matters: 1 is needed, 0 optional.
  lastModified?: string  # When it last changed, ISO 8601.
Role = "user" | "assistant"
Result < Meta  @CD
Result  @E
  resultType: string  # complete, or input_required: then it is only a question.
  _meta?: ResultMeta  # Who answered.
ResultMeta  @E
  io.modelcontextprotocol/serverInfo?: Implementation  # The program that answered.
Cached  @E
  ttlMs: 0..  # For how long the result may be kept, in milliseconds; 0: ask again each time.
  cacheScope: "public" | "private"  # Whether others may be given the kept copy.
EmptyResult < Result
AnyResult < Result
Paged < Result, Cached
  nextCursor?: string  # For the next page; absent: this was the last one.
InitializeResult < Result  @CD
  protocolVersion: string  # The revision that is spoken from now on.
  capabilities: ServerCapabilities  # What the server has.
  serverInfo: Implementation  # The program that answers.
  instructions?: string  # How the server is best used, for a language model.
DiscoverResult < Result, Cached  @E
  supportedVersions: string[]  # The revisions that the server speaks.
  capabilities: ServerCapabilities  # What the server has.
  instructions?: string  # How the server is best used, for a language model.
Named
  name: string  # Its name for programs.
  title?: string  # Its name for people.
  description?: string  # What it is, for people and language models.
  icons?: Icon[]  @DE  # Pictures of it, in several sizes.
Resource < Named, Meta  # Something that a server can read out.
  uri: uri  # Where it is: what resources/read takes.
  mimeType?: string  # Its media type, as far as known.
  size?: integer  # Bytes, before any encoding.
  annotations?: Annotations  # Hints for whoever shows or chooses.
ResourcesResult < Paged
  resources: Resource[]  # One page of them.
Template < Named, Meta  # A pattern for URIs of resources.
  uriTemplate: string  # RFC 6570: variables in braces.
  mimeType?: string  # The media type, if all that match have the same.
  annotations?: Annotations  # Hints for whoever shows or chooses.
TemplatesResult < Paged
  resourceTemplates: Template[]  # One page of them.
ReadResult < Result, Cached
  contents: (TextContents | BlobContents)[]  # The resource, or its parts, each with a URI of its own.
TextContents < Meta
  uri: uri  # What was read.
  mimeType?: string  # The media type.
  text: string  # The contents, as text.
BlobContents < Meta
  uri: uri  # What was read.
  mimeType?: string  # The media type.
  blob: bytes  # The contents, in base64.
ListenResult  @E
  resultType: string  # complete.
  _meta: ListenMeta  # Which subscription has ended.
ListenMeta < ResultMeta  @E
  io.modelcontextprotocol/subscriptionId: Id  # The id of the listen request that has ended.
Acknowledged < Note  @E
  notifications: Filter  # The part of the request's filter that is granted.
UpdatedNote < Note
  uri: uri  # What has changed: a subscribed resource, or a part of it.
Prompt < Named, Meta  # A message, or several, to begin with.
  arguments?: PromptArgument[]  # What can be filled in.
PromptArgument
  name: string  # Its name for programs.
  title?: string  # Its name for people.
  description?: string  # What to fill in.
  required?: boolean  # Whether it has to be given.
PromptsResult < Paged
  prompts: Prompt[]  # One page of them.
PromptResult < Result
  description?: string  # What the prompt is for.
  messages: PromptMessage[]  # What to say to a language model.
PromptMessage
  role: Role  # Who says it.
  content: Content  # What is said.
Content = TextContent | ImageContent | AudioContent | ResourceLink | EmbeddedResource
TextContent < Meta
  type: "text"
  text: string  # What is said.
  annotations?: Annotations  # Hints for whoever shows or chooses.
ImageContent < Meta
  type: "image"
  data: bytes  # The picture, in base64.
  mimeType: string  # The media type, such as image/png.
  annotations?: Annotations  # Hints for whoever shows or chooses.
AudioContent < Meta
  type: "audio"
  data: bytes  # The sound, in base64.
  mimeType: string  # The media type, such as audio/wav.
  annotations?: Annotations  # Hints for whoever shows or chooses.
ResourceLink < Resource
  type: "resource_link"
EmbeddedResource < Meta
  type: "resource"
  resource: TextContents | BlobContents  # The contents of a resource.
  annotations?: Annotations  # Hints for whoever shows or chooses.
Tool < Named, Meta  # Something that a server can do.
  inputSchema: ObjectSchema  # JSON Schema of the arguments.
  outputSchema?: ObjectSchema  @CD  # JSON Schema of structuredContent.
  outputSchema?: object  @E  # JSON Schema of structuredContent.
  annotations?: ToolAnnotations  # What the tool does, as its server says: not to be relied upon.
  execution?: ToolExecution  @D  # How it can be run.
ObjectSchema  # JSON Schema of an object.
  $schema?: string  @DE  # The dialect; default 2020-12.
  type: "object"
  properties?: object  @CD  # Schemas by member.
  required?: string[]  @CD  # Members that have to be there.
ToolAnnotations
  title?: string  # Its name for people.
  readOnlyHint?: boolean  # It changes nothing.
  destructiveHint?: boolean  # It may destroy something.
  idempotentHint?: boolean  # A second call changes nothing more.
  openWorldHint?: boolean  # It reaches beyond a closed set of things.
ToolExecution  @D
  taskSupport?: "forbidden" | "optional" | "required"  # Whether it can be called as a task.
ToolsResult < Paged
  tools: Tool[]  # One page of them.
CallResult < Result
  content: Content[]  # What the tool says, for a language model.
  structuredContent?: object  @CD  # What the tool says, as outputSchema describes it.
  structuredContent?: any  @E  # What the tool says, as outputSchema describes it.
  isError?: boolean  # The tool has failed; content says how.
CompleteResult < Result
  completion: Completion  # What could be meant.
Completion
  values: string[]100  # At most 100, the best first.
  total?: integer  # How many there are altogether.
  hasMore?: boolean  # There are more than values holds.
LogNote < Note
  level: LogLevel  # How much it matters.
  logger?: string  # The part of the server that says it.
  data: any  # What is said: a text, or any JSON.
CancelledNote < Note
  requestId?: Id  @D  # The request that is no longer wanted.
  requestId: Id  @CE  # The request that is no longer wanted.
  reason?: string  # Why, for people and logs.
ProgressNote < Note
  progressToken: Token  # From _meta of the request that is making progress.
  progress: number  # How far it is; grows with each notification.
  total?: number  # How far it will go, if known.
  message?: string  # What is being done, for people.
SamplingParams  # The client's language model is asked.
  messages: SamplingMessage[]  # The conversation so far.
  maxTokens: integer  # The most that the answer may have.
  systemPrompt?: string  # Set before the conversation, if the client likes.
  modelPreferences?: ModelPreferences  # What matters in the choice of a model.
  includeContext?: "none" | "thisServer" | "allServers"  # What else of MCP goes into the prompt.
  temperature?: number  # How much chance there is in the answer.
  stopSequences?: string[]  # Texts that end the answer.
  metadata?: object  # For the provider of the model.
  tools?: Tool[]  @DE  # What the model may use.
  toolChoice?: ToolChoice  @DE  # Whether it has to use one.
  task?: TaskWish  @D  # Asks for a task in place of the result.
  _meta?: RequestMeta  @D  # Facts about the request, by namespaced key.
SamplingMessage
  role: Role  # Who says it.
  content: TextContent | ImageContent | AudioContent  @C  # What is said.
  content: SamplingContent | SamplingContent[]  @DE  # What is said.
  _meta?: object  @DE  # Facts about the message, by namespaced key.
SamplingContent = TextContent | ImageContent | AudioContent | ToolUse | ToolOutcome  @DE
ToolUse < Meta  @DE
  type: "tool_use"
  id: string  # Chosen by the model, for toolUseId.
  name: string  # The tool that it wants to use.
  input: object  # The arguments.
ToolOutcome < Meta  @DE
  type: "tool_result"
  toolUseId: string  # The id of the use that this came of.
  content: Content[]  # What the tool said.
  structuredContent?: object  @D  # The same as data.
  structuredContent?: any  @E  # The same as data.
  isError?: boolean  # The tool has failed.
ToolChoice  @DE
  mode?: "auto" | "required" | "none"  # Whether the model chooses, must, or must not.
ModelPreferences
  hints?: ModelHint[]  # Names of models, the best first.
  costPriority?: 0..1  # How much low cost matters.
  speedPriority?: 0..1  # How much speed matters.
  intelligencePriority?: 0..1  # How much ability matters.
ModelHint
  name?: string  # A part of a model's name.
SamplingResult  # What the model said.
  role: Role  # Who says it.
  content: TextContent | ImageContent | AudioContent  @C  # What was said.
  content: SamplingContent | SamplingContent[]  @DE  # What was said.
  model: string  # Which model it was.
  stopReason?: string  # Why it ended, such as endTurn or maxTokens.
  _meta?: object  # Facts about the answer, by namespaced key.
ElicitParams = ElicitForm  @C
ElicitParams = ElicitForm | ElicitUrl  @DE
ElicitForm  # The user is asked to fill in a form.
  mode?: "form"  @DE
  message: string  # What the user reads.
  requestedSchema: FormSchema  # The fields: a flat object.
  task?: TaskWish  @D  # Asks for a task in place of the result.
  _meta?: RequestMeta  @D  # Facts about the request, by namespaced key.
FormSchema
  $schema?: string  @DE  # The dialect.
  type: "object"
  properties: {object}  # A field each: text, number, yes or no, choice.
  required?: string[]  # Fields that have to be filled in.
ElicitUrl  @DE  # The user is asked to visit a page.
  mode: "url"
  message: string  # What the user reads.
  url: uri  # The page.
  elicitationId: string  @D  # For the notification that it is done.
  task?: TaskWish  @D  # Asks for a task in place of the result.
  _meta?: RequestMeta  @D  # Facts about the request, by namespaced key.
ElicitResult  # What the user did.
  action: "accept" | "decline" | "cancel"  # Agreed, refused, or went away.
  content?: {string | number | boolean}  @C  # The fields, if accepted.
  content?: {string | number | boolean | string[]}  @DE  # The fields, if accepted.
  _meta?: object  @CD  # Facts about the answer, by namespaced key.
ElicitedNote  @D
  elicitationId: string  # Of the request that is done.
RootsParams < Meta  @E
RootsResult
  roots: Root[]  # The folders and files that the client works in.
  _meta?: object  @CD  # Facts about the answer, by namespaced key.
Root < Meta
  uri: uri  # Begins with file:// for now.
  name?: string  # Its name for people.
InputRequired < Result  @E  # Something is missing: the same request is to be sent again, with answers.
  inputRequests?: {InputRequest}  # What is asked, by keys that the server chose.
  requestState?: string  # To be sent back exactly so.
InputRequest = SamplingInput | ElicitInput | RootsInput  @E
SamplingInput  @E
  method: "sampling/createMessage"
  params: SamplingParams
ElicitInput  @E
  method: "elicitation/create"
  params: ElicitParams
RootsInput  @E
  method: "roots/list"
  params?: RootsParams
InputResponse = SamplingResult | ElicitResult | RootsResult  @E
TaskWish  @D
  ttl?: integer  # For how long the task is to be kept, in milliseconds.
TaskParams < Bare  @D
  taskId: string  # Which task.
Task  @D  # A request that runs for longer.
  taskId: string  # For tasks/get, tasks/result and tasks/cancel.
  status: "working" | "input_required" | "completed" | "failed" | "cancelled"  # How it stands.
  statusMessage?: string  # The same for people.
  createdAt: string  # ISO 8601.
  lastUpdatedAt: string  # ISO 8601.
  ttl: integer | null  # For how long it is kept from its creation on, in milliseconds; null: without limit.
  pollInterval?: integer  # How long to wait between questions, in milliseconds.
TaskResult < Result, Task  @D
TaskNote < Note, Task  @D
TasksResult < Paged  @D
  tasks: Task[]  # One page of them.
CreateTaskResult < Result  @D
  task: Task  # What will have the result later.
Error  # What went wrong.
  code: integer  # JSON-RPC's and MCP's numbers are below -32000.
  message: string  # One sentence.
  data?: any  # More about it; depends on the code.`
