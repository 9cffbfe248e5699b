/** The request that a provider gets. */
export interface ReadRequest {
  readonly uri: string
  /** Of the template that matched; absent for a resource. */
  readonly variables?: Record<string, string>
  /** Aborted when the client cancels, its channel closes, or the read times out. */
  readonly signal: AbortSignal
}

/** @param variables - JSON text, or `''` */
export function readRequest(
  uri: string,
  variables: string,
  signal: () => AbortSignal,
): ReadRequest {
  return new Request(uri, variables, signal)
}

/** A class for its accessor: with one of its own, an object costs more than the rest of a read. */
class Request implements ReadRequest {
  readonly uri: string
  readonly variables?: Record<string, string>
  readonly #signal: () => AbortSignal

  constructor(uri: string, variables: string, signal: () => AbortSignal) {
    this.uri = uri
    this.#signal = signal
    if (variables !== '') this.variables = JSON.parse(variables)
  }

  get signal(): AbortSignal {
    return this.#signal()
  }
}
