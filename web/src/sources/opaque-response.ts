/**
 * The response is opaque: it came from another origin without CORS, so its body, status and headers are
 * not readable. Fetch it with CORS.
 */
export class OpaqueResponseError extends Error {
  override readonly name = 'OpaqueResponseError'

  constructor(uri: string) {
    super(
      `read ${uri}: the response is opaque, since it was fetched without CORS; it has no readable body`,
    )
  }
}
