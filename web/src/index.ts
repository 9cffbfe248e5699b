/**
 * PageMCP turns a web page into an MCP server: a Go engine in WebAssembly serves what the page holds.
 * README.md explains the whole; the first thing to look at is {@link start}.
 */

export type { ReadEvent } from './clients.ts'
export { type Connector, isInvited, pair, webSocket } from './connector.ts'
export type { EngineState } from './engine.ts'
export type { ReadRequest } from './fill.ts'
export { JoinError, type JoinReason } from './joining.ts'
export { connectTo } from './listen.ts'
export type { Goodbye, Port } from './port.ts'
export {
  type Annotations,
  BadCursorError,
  type Changed,
  type Contents,
  type Icon,
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
export { type IdbOptions, idb, type StoreOptions } from './sources/idb.ts'
export { DatabaseBusyError } from './sources/idb-open.ts'
export {
  type Content,
  type Events,
  type PageMcp,
  type Provider,
  type StartOptions,
  type State,
  start,
  type TemplateProvider,
  version,
} from './start.ts'
export type { GatewayState } from './websocket.ts'
