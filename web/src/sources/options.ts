/** The error of a wrong option; `expected` follows "must be". */
export function wrongOption(
  source: string,
  option: string,
  expected: string,
  value: unknown,
): TypeError {
  return new TypeError(`${source}: ${option} must be ${expected}, not ${JSON.stringify(value)}`)
}
