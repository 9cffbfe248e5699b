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
Note  @CD  # A notification without further params.
  _meta?: object  # Facts about the notification, by namespaced key.
Note  @E  # A notification without further params.
  _meta?: NoteMeta  # The subscription that it belongs to.
NoteMeta  @E
  io.modelcontextprotocol/subscriptionId?: Id  # The id of the listen request of this notification.
Token = string | integer  # Chosen by the sender; repeated in each progress notification.
Id = string | integer  # The id of a request. 1 and "1" differ.
Bare  @CD  # No params besides the metadata.
  _meta?: RequestMeta  # Facts about the request, by namespaced key.
Bare  @E  # No params besides the metadata.
  _meta: RequestMeta  # The envelope: client, revision and capabilities.
RequestMeta
  progressToken?: Token  # Requests progress notifications with this token.
  io.modelcontextprotocol/protocolVersion: string  @E  # The revision of this request.
  io.modelcontextprotocol/clientCapabilities: ClientCapabilities  @E  # The client's capabilities. Servers do not store them between requests.
  io.modelcontextprotocol/clientInfo?: Implementation  @E  # The client's name and version.
  io.modelcontextprotocol/logLevel?: LogLevel  @E  # Requests log messages of this level and above during the request.
Page < Bare  # Requests one page of a list.
  cursor?: string  # nextCursor of the previous page; absent: the first page.
UriParams < Bare
  uri: uri  # The URI of the resource.
Retry  @E
  inputResponses?: {InputResponse}  # Responses to the inputRequests of the previous result, by key.
  requestState?: string  # Unchanged from the result that requested input.
ReadParams < UriParams, Retry  # Requests the contents of one resource.
PromptParams < Bare, Retry
  name: string  # The name of the prompt.
  arguments?: {string}  # Values for the arguments of the prompt.
CallParams < Bare, Retry
  name: string  # The name of the tool.
  arguments?: object  # Arguments that match the tool's inputSchema.
  task?: TaskWish  @D  # Requests a task instead of the result.
CompleteParams < Bare  # Requests completions of an argument.
  ref: PromptRef | TemplateRef  # The prompt or template of the argument.
  argument: Argument  # The argument to complete.
  context?: Context  # Arguments that are filled in already.
Argument
  name: string  # The name of the argument or the template variable.
  value: string  # The typed prefix.
Context
  arguments?: {string}  # Values of the other arguments.
PromptRef
  type: "ref/prompt"
  name: string  # The prompt.
  title?: string  # Its display name.
TemplateRef
  type: "ref/resource"
  uri: string  # The uriTemplate, as it was listed, or a URI.
LevelParams < Bare
  level: LogLevel  # The lowest level to send from now on.
LogLevel = "debug" | "info" | "notice" | "warning" | "error" | "critical" | "alert" | "emergency"  # As in RFC 5424.
ListenParams < Bare  @E
  notifications: Filter  # The requested notifications; may be empty.
Filter  @E  # Kinds of notifications. Absent ones are not sent.
  resourceSubscriptions?: string[]  # URIs of the resources to subscribe to.
  resourcesListChanged?: boolean  # Whether to notify of changes of the list of resources.
  promptsListChanged?: boolean  # Whether to notify of changes of the list of prompts.
  toolsListChanged?: boolean  # Whether to notify of changes of the list of tools.
  taskIds?: string[]  # Extension tasks: ids of the tasks whose states to send.
InitializeParams < Bare  @CD
  protocolVersion: string  # The newest revision that the client supports.
  capabilities: ClientCapabilities  # The client's capabilities.
  clientInfo: Implementation  # The client's name and version.
ClientCapabilities  # Capabilities of a client.
  experimental?: {object}  # Capabilities outside the revisions.
  extensions?: {object}  @E  # Extensions of the protocol, by identifier.
  roots?: RootsAbility  # It lists its working folders.
  sampling?: SamplingAbility  # It can use its language model.
  elicitation?: ElicitAbility  # It can request input from its user.
  tasks?: ClientTasks  @D  # It runs requests as tasks.
RootsAbility
  listChanged?: boolean  @CD  # It notifies of changes of the folders.
SamplingAbility
  context?: object  @DE  # includeContext may be used.
  tools?: object  @DE  # tools and toolChoice may be used.
ElicitAbility
  form?: object  @DE  # It shows forms.
  url?: object  @DE  # It opens URLs.
ServerCapabilities  # Capabilities of a server.
  experimental?: {object}  # Capabilities outside the revisions.
  extensions?: {object}  @E  # Extensions of the protocol, by identifier.
  resources?: ResourcesAbility  # It has resources.
  prompts?: ListAbility  # It has prompts.
  tools?: ListAbility  # It has tools.
  completions?: object  # It completes arguments.
  logging?: object  # It sends log messages.
  tasks?: ServerTasks  @D  # It runs requests as tasks.
ResourcesAbility
  subscribe?: boolean  # It supports subscriptions to resources.
  listChanged?: boolean  # It notifies of changes of the list.
ListAbility
  listChanged?: boolean  # It notifies of changes of the list.
ClientTasks  @D
  list?: object  # Its tasks can be listed.
  cancel?: object  # Its tasks can be cancelled.
  requests?: ClientTaskRequests  # Requests that it runs as tasks.
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
  requests?: ServerTaskRequests  # Requests that it runs as tasks.
ServerTaskRequests  @D
  tools?: TaskTools
TaskTools  @D
  call?: object
Implementation  # Name and version of a program.
  name: string  # Its identifier.
  title?: string  # Its display name.
  version: string  # Its version.
  description?: string  @DE  # Its purpose.
  websiteUrl?: uri  @DE  # The URL of its website.
  icons?: Icon[]  @DE  # Pictures of it, in several sizes.
Icon  @DE
  src: uri  # The URL of the image: https or data.
  mimeType?: string  # Its media type.
  sizes?: string[]  # Such as 48x48, or any.
  theme?: "light" | "dark"  # The background that it is made for.
Annotations  # Hints for display and selection.
  audience?: Role[]  # The intended audience.
  priority?: 0..1  # Importance: 1 is required, 0 optional.
  lastModified?: string  # When it last changed, ISO 8601.
Role = "user" | "assistant"
Result < Meta  @CD
Result  @E
  resultType: string  # complete, or input_required: the server requests input first.
  _meta?: ResultMeta  # The server of the response.
ResultMeta  @E
  io.modelcontextprotocol/serverInfo?: Implementation  # The server's name and version.
Cached  @E
  ttlMs: 0..  # How long the result may be cached, in milliseconds; 0: not at all.
  cacheScope: "public" | "private"  # Whether a cache may serve other users.
EmptyResult < Result
AnyResult < Result
Paged < Result, Cached
  nextCursor?: string  # The cursor of the next page; absent: this is the last one.
InitializeResult < Result  @CD
  protocolVersion: string  # The negotiated revision.
  capabilities: ServerCapabilities  # The server's capabilities.
  serverInfo: Implementation  # The server's name and version.
  instructions?: string  # Instructions for a language model about the use of the server.
DiscoverResult < Result, Cached  @E
  supportedVersions: string[]  # The revisions that the server supports.
  capabilities: ServerCapabilities  # The server's capabilities.
  instructions?: string  # Instructions for a language model about the use of the server.
Named
  name: string  # Its identifier.
  title?: string  # Its display name.
  description?: string  # A description for users and language models.
  icons?: Icon[]  @DE  # Pictures of it, in several sizes.
Resource < Named, Meta  # Data that a server provides.
  uri: uri  # The URI for resources/read.
  mimeType?: string  # Its media type, as far as known.
  size?: integer  # Bytes, before any encoding.
  annotations?: Annotations  # Hints for display and selection.
ResourcesResult < Paged
  resources: Resource[]  # One page of them.
Template < Named, Meta  # A pattern for URIs of resources.
  uriTemplate: string  # RFC 6570: variables in braces.
  mimeType?: string  # The media type, if all that match have the same.
  annotations?: Annotations  # Hints for display and selection.
TemplatesResult < Paged
  resourceTemplates: Template[]  # One page of them.
ReadResult < Result, Cached
  contents: (TextContents | BlobContents)[]  # The resource, or its parts, each with a URI of its own.
TextContents < Meta
  uri: uri  # The URI of the contents.
  mimeType?: string  # The media type.
  text: string  # The contents, as text.
BlobContents < Meta
  uri: uri  # The URI of the contents.
  mimeType?: string  # The media type.
  blob: bytes  # The contents, in base64.
ListenResult  @E
  resultType: string  # complete.
  _meta: ListenMeta  # The subscription that has ended.
ListenMeta < ResultMeta  @E
  io.modelcontextprotocol/subscriptionId: Id  # The id of the listen request that has ended.
Acknowledged < Note  @E
  notifications: Filter  # The part of the request's filter that is granted.
UpdatedNote < Note
  uri: uri  # What has changed: a subscribed resource, or a part of it.
Prompt < Named, Meta  # A template of messages for a language model.
  arguments?: PromptArgument[]  # Arguments of the prompt.
PromptArgument
  name: string  # Its identifier.
  title?: string  # Its display name.
  description?: string  # A description of the value.
  required?: boolean  # Whether it is required.
PromptsResult < Paged
  prompts: Prompt[]  # One page of them.
PromptResult < Result
  description?: string  # The purpose of the prompt.
  messages: PromptMessage[]  # Messages for a language model.
PromptMessage
  role: Role  # The role of the speaker.
  content: Content  # The content.
Content = TextContent | ImageContent | AudioContent | ResourceLink | EmbeddedResource
TextContent < Meta
  type: "text"
  text: string  # The content.
  annotations?: Annotations  # Hints for display and selection.
ImageContent < Meta
  type: "image"
  data: bytes  # The picture, in base64.
  mimeType: string  # The media type, such as image/png.
  annotations?: Annotations  # Hints for display and selection.
AudioContent < Meta
  type: "audio"
  data: bytes  # The sound, in base64.
  mimeType: string  # The media type, such as audio/wav.
  annotations?: Annotations  # Hints for display and selection.
ResourceLink < Resource
  type: "resource_link"
EmbeddedResource < Meta
  type: "resource"
  resource: TextContents | BlobContents  # The contents of a resource.
  annotations?: Annotations  # Hints for display and selection.
Tool < Named, Meta  # A function of a server.
  inputSchema: ObjectSchema  # JSON Schema of the arguments.
  outputSchema?: ObjectSchema  @CD  # JSON Schema of structuredContent.
  outputSchema?: object  @E  # JSON Schema of structuredContent.
  annotations?: ToolAnnotations  # The tool's behaviour according to its server, which may be wrong.
  execution?: ToolExecution  @D  # How it can be run.
ObjectSchema  # JSON Schema of an object.
  $schema?: string  @DE  # The dialect; default 2020-12.
  type: "object"
  properties?: object  @CD  # Schemas by member.
  required?: string[]  @CD  # Required members.
ToolAnnotations
  title?: string  # Its display name.
  readOnlyHint?: boolean  # It changes nothing.
  destructiveHint?: boolean  # It may destroy something.
  idempotentHint?: boolean  # A second call changes nothing more.
  openWorldHint?: boolean  # It reaches beyond a closed set of things.
ToolExecution  @D
  taskSupport?: "forbidden" | "optional" | "required"  # Whether it can be called as a task.
ToolsResult < Paged
  tools: Tool[]  # One page of them.
CallResult < Result
  content: Content[]  # The result for a language model.
  structuredContent?: object  @CD  # The result in the form of outputSchema.
  structuredContent?: any  @E  # The result in the form of outputSchema.
  isError?: boolean  # The tool has failed; content says how.
CompleteResult < Result
  completion: Completion  # The completions.
Completion
  values: string[]100  # At most 100, the best first.
  total?: integer  # The total number of values.
  hasMore?: boolean  # Whether there are more values.
LogNote < Note
  level: LogLevel  # The severity.
  logger?: string  # The component of the server.
  data: any  # The data: a string, or any JSON.
CancelledNote < Note
  requestId?: Id  @D  # The request to cancel.
  requestId: Id  @CE  # The request to cancel.
  reason?: string  # The reason, for users and logs.
ProgressNote < Note
  progressToken: Token  # The token from the request's _meta.
  progress: number  # The progress; increases with each notification.
  total?: number  # The final value, if known.
  message?: string  # A description of the progress, for the user.
SamplingParams  # Requests a completion of the client's language model.
  messages: SamplingMessage[]  # The conversation so far.
  maxTokens: integer  # Maximum length of the completion, in tokens.
  systemPrompt?: string  # Set before the conversation, if the client likes.
  modelPreferences?: ModelPreferences  # What matters in the choice of a model.
  includeContext?: "none" | "thisServer" | "allServers"  # What else of MCP goes into the prompt.
  temperature?: number  # How much chance there is in the answer.
  stopSequences?: string[]  # Texts that end the answer.
  metadata?: object  # For the provider of the model.
  tools?: Tool[]  @DE  # What the model may use.
  toolChoice?: ToolChoice  @DE  # Whether it has to use one.
  task?: TaskWish  @D  # Requests a task instead of the result.
  _meta?: RequestMeta  @D  # Facts about the request, by namespaced key.
SamplingMessage
  role: Role  # The role of the speaker.
  content: TextContent | ImageContent | AudioContent  @C  # The content.
  content: SamplingContent | SamplingContent[]  @DE  # The content.
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
  content: Content[]  # The result of the tool.
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
SamplingResult  # The completion of the model.
  role: Role  # The role of the speaker.
  content: TextContent | ImageContent | AudioContent  @C  # The content.
  content: SamplingContent | SamplingContent[]  @DE  # The content.
  model: string  # Which model it was.
  stopReason?: string  # Why it ended, such as endTurn or maxTokens.
  _meta?: object  # Facts about the response, by namespaced key.
ElicitParams = ElicitForm  @C
ElicitParams = ElicitForm | ElicitUrl  @DE
ElicitForm  # Requests that the user fills in a form.
  mode?: "form"  @DE
  message: string  # What the user reads.
  requestedSchema: FormSchema  # The fields: a flat object.
  task?: TaskWish  @D  # Requests a task instead of the result.
  _meta?: RequestMeta  @D  # Facts about the request, by namespaced key.
FormSchema
  $schema?: string  @DE  # The dialect.
  type: "object"
  properties: {object}  # A field each: text, number, yes or no, choice.
  required?: string[]  # Fields that have to be filled in.
ElicitUrl  @DE  # Requests that the user visits a page.
  mode: "url"
  message: string  # What the user reads.
  url: uri  # The page.
  elicitationId: string  @D  # For the notification that it is done.
  task?: TaskWish  @D  # Requests a task instead of the result.
  _meta?: RequestMeta  @D  # Facts about the request, by namespaced key.
ElicitResult  # The user's action.
  action: "accept" | "decline" | "cancel"  # Accepted, declined, or dismissed.
  content?: {string | number | boolean}  @C  # The fields, if accepted.
  content?: {string | number | boolean | string[]}  @DE  # The fields, if accepted.
  _meta?: object  @CD  # Facts about the response, by namespaced key.
ElicitedNote  @D
  elicitationId: string  # Of the request that is done.
RootsParams < Meta  @E
RootsResult
  roots: Root[]  # The folders and files that the client works in.
  _meta?: object  @CD  # Facts about the response, by namespaced key.
Root < Meta
  uri: uri  # Begins with file:// for now.
  name?: string  # Its display name.
InputRequired < Result  @E  # Input is missing: send the same request again, with inputResponses.
  inputRequests?: {InputRequest}  # The requested inputs, by keys of the server.
  requestState?: string  # To be sent back unchanged.
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
  ttl?: integer  # How long to keep the task, in milliseconds.
TaskParams < Bare  @DE
  taskId: string  # The id of the task.
TaskUpdateParams < Bare  @E
  taskId: string  # The id of the task.
  inputResponses: {InputResponse}  # Responses to inputRequests of the task, by key; some of them or all.
Task  @DE  # A long-running request.
  taskId: string  @D  # For tasks/get, tasks/result and tasks/cancel.
  taskId: string  @E  # For tasks/get, tasks/update and tasks/cancel.
  status: "working" | "input_required" | "completed" | "failed" | "cancelled"  # The state.
  statusMessage?: string  # The state, for the user.
  createdAt: string  # ISO 8601.
  lastUpdatedAt: string  # ISO 8601.
  ttl: integer | null  @D  # How long the task is kept after its creation, in milliseconds; null: without limit.
  ttlMs: integer | null  @E  # How long the task is kept after its creation, in milliseconds; null: without limit.
  pollInterval?: integer  @D  # Interval between two polls, in milliseconds.
  pollIntervalMs?: integer  @E  # Interval between two polls, in milliseconds.
TaskDetails  @E
  inputRequests?: {InputRequest}  # With input_required: the requests that tasks/update responds to, by key.
  result?: object  # With completed: what the request would have returned.
  error?: Error  # With failed: the error that the request would have returned.
TaskResult < Result, Task, TaskDetails  @DE
TaskNote < Note, Task, TaskDetails  @DE
TasksResult < Paged  @D
  tasks: Task[]  # One page of them.
CreateTaskResult < Result  @D
  task: Task  # The task that will have the result.
CreateTaskResult < Result, Task  @E  # The request goes on as a task.
Error  # An error.
  code: integer  # JSON-RPC's and MCP's numbers are below -32000.
  message: string  # One sentence.
  data?: any  # Details; depends on the code.`
