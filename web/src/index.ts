/**
 * PageMCP turns a web page into an MCP server: a Go engine in WebAssembly serves the page's data.
 * web/docs/package.md describes the API; begin with {@link start}. Importing it has no effect but to take an invitation out
 * of the address of the document.
 */

export type { AccessRequest, AuditEntry, PageAccess } from './access-types.ts'
export type {
  AudioContent,
  ContentBlock,
  EmbeddedResource,
  ImageContent,
  ResourceLink,
  TextContent,
} from './blocks.ts'
export {
  type Callee,
  type Caller,
  type CallRequest,
  type CallTask,
  type CompletionRef,
  type InputAnswers,
  InvalidParamsError,
  type LogLevel,
} from './call.ts'
export type { ReadEvent } from './clients.ts'
export type { Completion, CompletionContext, CompletionProvider } from './complete.ts'
export {
  type ConnectOptions,
  defaultGateway,
  gatewayOf,
  isInvited,
  pair,
} from './connector.ts'
export { contents, type SeveralContents, type TransferredBytes, transfer } from './contents.ts'
export type { EventOptions, PageEvent } from './events.ts'
export type { GatewayState } from './gateway-types.ts'
export { JoinError, type JoinReason } from './handshake.ts'
export {
  type ElicitAnswer,
  type ElicitUrlAnswer,
  elicit,
  elicitUrl,
  type FormSchema,
  type FormValue,
  type InputRequest,
  NeedInputError,
  type RootsAnswer,
  roots,
  type SampleAnswer,
  type SampleParams,
  sample,
} from './input.ts'
export type { Goodbye, Port } from './port.ts'
export type {
  PromptAnswer,
  PromptArgument,
  PromptDescription,
  PromptHandler,
  PromptMessage,
  PromptOptions,
  PromptResult,
} from './prompt.ts'
export type {
  Content,
  ContentValue,
  ListedResource,
  MethodHandler,
  Provider,
  Publishing,
  Registering,
  ResourceOptions,
  ResourcesOptions,
  ValueRegistration,
  ValuesRegistration,
  Variables,
} from './publish.ts'
export type { ReadRequest } from './read-request.ts'
export { isPrivateElement, redactUrl } from './redact.ts'
export type { Redact, RedactResult } from './redacting.ts'
export type { JsonSchema } from './schema.ts'
export { isSecretName, isSecretValue } from './secrets.ts'
export type {
  SkillDescription,
  SkillOptions,
  SkillRegistration,
} from './skills.ts'
export {
  type Annotations,
  BadCursorError,
  type CacheHints,
  type Changed,
  type Contents,
  type Icon,
  type Json,
  type Listing,
  type ListName,
  type ListOptions,
  NotFoundError,
  type PortableSource,
  type ReadOptions,
  type Resource,
  type Source,
  type Template,
} from './source.ts'
export { type IdbOptions, idb, type StoreOptions } from './sources/idb.ts'
export { DatabaseBusyError } from './sources/idb-open.ts'
export type { SourceOptions } from './sources/options.ts'
export { type PageOptions, type PagePart, page } from './sources/page.ts'
export { type StorageOptions, storage } from './sources/storage.ts'
export { type TabsOptions, tabs } from './sources/tabs.ts'
export type {
  InputOf,
  OutputOf,
  StandardIssue,
  StandardResult,
  StandardSchema,
} from './standard.ts'
export {
  type Events,
  type GatewayConnection,
  type PageMcp,
  type StartOptions,
  type State,
  start,
  version,
} from './start.ts'
export type { EngineState } from './supervisor.ts'
export {
  type ToolAnnotations,
  type ToolAnswer,
  type ToolDescription,
  ToolError,
  type ToolHandler,
  type ToolOptions,
  type ToolResult,
  type ToolSchema,
} from './tool.ts'
