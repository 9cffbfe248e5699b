/**
 * PageMCP turns a web page into an MCP server: a Go engine in WebAssembly serves the page's data.
 * web/docs/package.md describes the API; begin with {@link start}. Importing it has no effect but to take an invitation out
 * of the address of the document.
 */

export type { AccessRequest, AuditEntry, PageAccess } from './access-types.ts'
export type { ContentBlock } from './blocks.ts'
export { type CallRequest, InvalidParamsError } from './call.ts'
export type { Ask } from './callee.ts'
export type { Completion, CompletionProvider } from './complete.ts'
export { type ConnectOptions, defaultGateway, gatewayOf, isInvited, pair } from './connector.ts'
export { contents } from './contents.ts'
export type { PageEvent } from './events.ts'
export type { GatewayState } from './gateway-types.ts'
export { JoinError, type JoinReason } from './handshake.ts'
export {
  type ElicitAnswer,
  elicit,
  elicitUrl,
  type FormSchema,
  type InputRequest,
  roots,
  type SampleAnswer,
  sample,
} from './input.ts'
export type { PromptHandler, PromptMessage, PromptOptions, PromptResult } from './prompt.ts'
export type { Content, Provider, ResourceOptions, ResourcesOptions } from './publish.ts'
export type { ReadRequest } from './read-request.ts'
export { isPrivateElement, redactUrl } from './redact.ts'
export type { Redact } from './redacting.ts'
export type { JsonSchema } from './schema.ts'
export { isSecretName, isSecretValue } from './secrets.ts'
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
export type { StandardSchema } from './standard.ts'
export {
  type GatewayConnection,
  type PageMcp,
  type StartOptions,
  type State,
  start,
} from './start.ts'
export {
  type ToolAnswer,
  ToolError,
  type ToolHandler,
  type ToolOptions,
  type ToolResult,
  type ToolSchema,
} from './tool.ts'
