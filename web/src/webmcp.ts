/**
 * WebMCP, `pagemcp/webmcp`: mirrors the tools that the document has registered with the browser, and offers what the page
 * serves to the browser's assistant. web/docs/sources.md describes both.
 */

export { type OfferOptions, offerToWebMcp } from './offer-webmcp.ts'
export { type WebMcpOptions, webmcp } from './sources/webmcp.ts'
