/**
 * PageMCP turns a web page into an MCP server: a Go engine in WebAssembly serves the page's data.
 * web/docs/guide.md introduces the API; begin with {@link start}. Importing it has no effect but to take an invitation out
 * of the address of the document.
 */

export type {
  Ask,
  Completion,
  CompletionProvider,
  ContentBlock,
  StandardSchema,
} from './callee.ts'
export {
  type CallRequest,
  type ElicitAnswer,
  elicit,
  elicitUrl,
  type FormSchema,
  type InputRequest,
  InvalidParamsError,
  roots,
  type SampleAnswer,
  sample,
} from './callee.ts'
export { type ConnectOptions, defaultGateway, gatewayOf, isInvited, pair } from './connector.ts'
export type { ReadRequest, Redact } from './contents.ts'
export { contents } from './contents.ts'
export type { AccessRequest, AuditEntry, PageAccess } from './page-access.ts'
export type { Content, PageEvent, Provider, ResourceOptions, ResourcesOptions } from './publish.ts'
export { isPrivateElement, isSecretName, isSecretValue, redactUrl } from './redact.ts'
export type { SkillDescription, SkillOptions } from './skills.ts'
export {
  BadCursorError,
  type Changed,
  type Contents,
  type Json,
  type Listing,
  type ListOptions,
  NotFoundError,
  type PortableSource,
  type ReadOptions,
  type Resource,
  type Source,
  type Template,
} from './source.ts'
export { idb } from './sources/idb.ts'
export { DatabaseBusyError } from './sources/idb-open.ts'
export { page } from './sources/page.ts'
export { storage } from './sources/storage.ts'
export { tabs } from './sources/tabs.ts'
export {
  type GatewayConnection,
  type PageMcp,
  type StartOptions,
  type State,
  start,
} from './start.ts'
export type {
  JsonSchema,
  PromptHandler,
  PromptMessage,
  PromptOptions,
  PromptResult,
} from './tool.ts'
export {
  type ToolAnswer,
  ToolError,
  type ToolHandler,
  type ToolOptions,
  type ToolResult,
  type ToolSchema,
} from './tool.ts'
export type { GatewayState } from './websocket.ts'
export { JoinError, type JoinReason } from './websocket.ts'
