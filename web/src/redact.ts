/** Redaction of URLs and form fields by the rules of redact.ts, as pure functions. */

/** Replaces a redacted part of a URL or value. */
export const redacted = 'redacted'

/** How many levels of URLs within URLs are redacted; deeper ones are removed. */
const maxNesting = 3

/**
 * A URL without its secrets: user name and password are removed; values in query and fragment become
 * `redacted` if their name ({@link isSecretName}) or they themselves ({@link isSecretValue}) are
 * secret, and so do such segments and parameters of the path; URLs within values are treated the same.
 * Of `data:` and `javascript:` URLs the scheme remains, and nothing of what cannot be parsed.
 *
 * @param url - absolute, or a reference such as `?code=1`
 * @returns the very same string if there is nothing to take out
 */
export function redactUrl(url: string): string {
  return redactNested(url, 0)
}

function redactNested(url: string, depth: number): string {
  // Parsers ignore tabs and line breaks everywhere, and blanks around: they must not hide a secret.
  const clean = url.replace(/[\t\n\r]/g, '').replace(/^\s+|\s+$/g, '')
  const scheme = /^([a-z][a-z0-9+.-]*):/i.exec(clean)?.[1]?.toLowerCase()
  if (scheme === 'data' || scheme === 'javascript' || scheme === 'vbscript') {
    return `${scheme}:${redacted}`
  }
  if (scheme !== undefined && !URL.canParse(clean)) return redacted
  const [, before = '', query, fragment] = /^([^?#]*)(?:\?([^#]*))?(?:#(.*))?$/s.exec(clean) ?? []
  const whole =
    redactPath(withoutUser(before, scheme)) +
    (query === undefined ? '' : `?${redactPairs(query, depth)}`) +
    (fragment === undefined ? '' : `#${redactFragment(fragment, depth)}`)
  return whole === clean ? url : whole
}

/** Nothing up to the last `@` of the authority. */
function withoutUser(before: string, scheme: string | undefined): string {
  // Backslashes count as slashes where the URL Standard says so, and any number of them will do.
  if (scheme === undefined) return before.replace(/^([\\\/]{2,})[^\\\/]*@/, '$1')
  if (/^(?:https?|wss?|ftp)$/.test(scheme)) return before.replace(/^(\w+:[\\\/]*)[^\\\/]*@/, '$1')
  return before.replace(/^([^:]+:\/\/)[^\/]*@/, '$1')
}

function redactPath(path: string): string {
  return path
    .split('/')
    .map((part) => {
      const [name = '', ...parameters] = part.split(';')
      const clean = parameters.map((parameter) => redactPair(parameter, maxNesting))
      return [isSecretValue(decoded(name)) ? redacted : name, ...clean].join(';')
    })
    .join('/')
}

/** Fragments of single-page apps have paths and queries of their own; those of OAuth are queries. */
function redactFragment(fragment: string, depth: number): string {
  const at = fragment.indexOf('?')
  if (at >= 0) {
    return `${redactPath(fragment.slice(0, at))}?${redactPairs(fragment.slice(at + 1), depth)}`
  }
  if (fragment.includes('=')) return redactPairs(fragment, depth)
  return redactPath(fragment)
}

function redactPairs(query: string, depth: number): string {
  return query.replace(/[^&;]+/g, (pair) => redactPair(pair, depth))
}

function redactPair(pair: string, depth: number): string {
  const at = pair.indexOf('=')
  const name = decoded(at < 0 ? '' : pair.slice(0, at))
  const value = decoded(at < 0 ? pair : pair.slice(at + 1))
  const prefix = at < 0 ? '' : pair.slice(0, at + 1)
  if (value === '') return pair
  if (isSecretName(name) || isSecretValue(value)) return `${prefix}${redacted}`
  const isUrl = value.includes('?') || value.includes('://') || value.includes('@')
  if (!isUrl && (at < 0 || !value.includes('='))) return pair
  if (depth >= maxNesting) return `${prefix}${redacted}`
  const clean = isUrl ? redactNested(value, depth + 1) : redactPairs(value, depth + 1)
  return clean === value ? pair : prefix + encodeURIComponent(clean.toWellFormed())
}

/** Without any percent-encoding, even if it was applied more than once. */
function decoded(text: string): string {
  let plain = text.replaceAll('+', ' ')
  for (let times = 0; times < maxDecodings && plain.includes('%'); times++) {
    try {
      plain = decodeURIComponent(plain)
    } catch {
      break // not UTF-8, or a percent sign: as it stands
    }
  }
  return plain
}

/** How often a value may have been percent-encoded. */
const maxDecodings = 4

/** Fields that browsers fill in with private data; HTML, autofill detail tokens. */
const privateAutofill = /^(?:cc-.+|one-time-code|current-password|new-password)$/

/**
 * Whether nothing of an element may leave: inputs of the types `password` and `hidden`, fields that
 * are for passwords, codes and cards (`autocomplete`, or a {@link isSecretName} as `name` or `id`), and
 * whatever has the attribute `data-mcp-private`, with all that is in it, shadow trees too.
 */
export function isPrivateElement(element: Element): boolean {
  let node: Node | null = element
  while (node !== null) {
    if (node instanceof Element && Element.prototype.hasAttribute.call(node, 'data-mcp-private')) {
      return true
    }
    // A form's own properties may be its fields: a field named parentNode must not hide anything.
    const parent = Reflect.get(Node.prototype, 'parentNode', node) as Node | null
    node = parent ?? (node instanceof ShadowRoot ? node.host : null)
  }
  return isPrivateField(element)
}

/** The same for a field by itself, wherever it stands. */
export function isPrivateField(element: Element): boolean {
  const attribute = (name: string) => Element.prototype.getAttribute.call(element, name) ?? ''
  const tag =
    element instanceof HTMLElement ? Reflect.get(Element.prototype, 'localName', element) : ''
  if (tag !== 'input' && tag !== 'textarea' && tag !== 'select') return false
  const type = attribute('type').trim().toLowerCase()
  if (tag === 'input' && (type === 'password' || type === 'hidden')) return true
  const tokens = attribute('autocomplete').toLowerCase().split(/\s+/)
  if (tokens.some((token) => privateAutofill.test(token))) return true
  return isSecretName(attribute('name')) || isSecretName(attribute('id'))
}

// The rules by which names and values count as secrets: one table for all sources, the extension and
// the playground. A name that is a secret as the parameter of a URL need not be one as the member of a
// JSON message (`code`, `key`), so the table has a column for each place of a name.

// Parts of names, whose words are separated by one space.

/** Secret in fields, headers and members. */
const alwaysSecret =
  'pass(?:w|phrase|code)|secret|credential|(?:api|access|private) ?key|cookie|jwt'
/** Secret in fields and headers, and at the end of members: `maxTokens` is no secret. */
const secretPart = 'token|session|sess(?:ion)? ?id|signature|authori[sz]ation|[cx]srf'
/** Secret in fields and headers. */
const secretStem = 'authori[sz]|authent|oauth|bearer'

// Whole words, with a number behind them or none.

/** Secret in fields and headers. */
const keyWord = 'auth|keys?'
/** Secret in fields and data. */
const dataWord = 'pass|pwd?|pin|t?otp|mfa|sid|cv[vc]|ssn|iban'
/** Secret in fields. */
const codeWord = `${dataWord}|codes?|sig|sso|nonce|ticket|assertion|saml(?:response|request)|h?mac|magic|invite|reset`
/** Secret in members: the environment of a program, in a client's configuration. */
const programWord = 'env'

/** One place: what is secret in it, as part of a name and as a word, and names that only look so. */
type NameRules = readonly [parts: RegExp, words: RegExp, exceptions?: string]

// Compiled at first use: a package without side effects runs nothing when it is imported.
let fieldRules: NameRules | undefined
let headerRules: NameRules | undefined
let memberRules: NameRules | undefined
let dataRules: NameRules | undefined

function rules(parts: string, words: string, exceptions?: string): NameRules {
  return [new RegExp(parts), new RegExp(`^(?:${words})\\d*$`), exceptions]
}

function isSecretBy([parts, words, exceptions]: NameRules, name: string): boolean {
  const own = name
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
  const all = own.join(' ')
  if (exceptions?.split('|').includes(all)) return false
  return parts.test(all) || own.some((word) => words.test(word))
}

/**
 * Whether a parameter, form field or storage key of that name probably holds a secret: `access_token`,
 * `apiKey`, `PHPSESSID`, `code`, `X-Amz-Signature` … Names are split into words at case changes and
 * punctuation, so that `author`, `monkey` and `keyboard` are no secrets. In doubt a name is a secret.
 */
export function isSecretName(name: string): boolean {
  fieldRules ??= rules(`${alwaysSecret}|${secretPart}|${secretStem}`, `${keyWord}|${codeWord}`)
  return isSecretBy(fieldRules, name)
}

/** Whether the value of an HTTP header is a secret. Upper and lower case are the same. */
export function isSecretHeader(name: string): boolean {
  headerRules ??= rules(
    `${alwaysSecret}|${secretPart}|${secretStem}`,
    keyWord,
    'www authenticate|proxy authenticate',
  )
  return isSecretBy(headerRules, name)
}

/**
 * Whether a member of a JSON message probably holds a secret. Narrower than {@link isSecretName}: `code`,
 * `key`, `maxTokens` and `progressToken` are ordinary members of MCP and of records.
 */
export function isSecretMember(name: string): boolean {
  memberRules ??= rules(
    `${alwaysSecret}|(?:${secretPart})(?: value)?$`,
    programWord,
    'progress token',
  )
  return isSecretBy(memberRules, name)
}

/**
 * Whether a member of an app's own data, or a name in its log, probably holds a secret. Between {@link isSecretMember} and
 * {@link isSecretName}: `code` and `key` are what a developer looks for there.
 */
export function isSecretData(name: string): boolean {
  dataRules ??= rules(`${alwaysSecret}|(?:${secretPart})(?: value)?$|^tokens$`, dataWord)
  return isSecretBy(dataRules, name)
}

/**
 * Forms of secrets: a JSON Web Token, keys with well-known beginnings, a private key in PEM. None can
 * match again from within a match that failed late, so that hostile texts take linear time.
 */
const secretForms = () =>
  String.raw`(?<![\w-])[\w-]{0,64}?eyJ[\w-]{8,}\.[\w-]*\.[\w-]*|\b(?:sk|pk|rk)[-_](?:(?:live|test|proj|ant)[-_][\w-]{8,}|[A-Za-z0-9]{12,})|\bgh[pousr]_\w{16,}|\bgithub_pat_\w{16,}|\bglpat-[\w-]{16,}|\bxox[abeprs]-[\w-]{8,}|\bA[KS]IA[A-Z0-9]{12,}|\bAIza[\w-]{30,}|-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----(?:[\w+/=\s\\]*-----END [A-Z ]{0,40}PRIVATE KEY-----)?`

/** Credentials of HTTP within a text; as a whole value, `Basic knowledge` is none. */
const schemeForm = () => String.raw`\b(?:Bearer|Basic)\s+[\w+/=.~-]{8,}`

let secretValue: RegExp | undefined
let secretText: RegExp | undefined

/**
 * Whether text contains what is probably a secret, whatever its name: a JSON Web Token, a key with one of
 * the well-known beginnings, a private key in PEM.
 */
export function isSecretValue(text: string): boolean {
  secretValue ??= new RegExp(secretForms())
  return secretValue.test(text)
}

/** User and password of a URL, and a parameter of one. */
const urlParts =
  /(\b[a-z][a-z\d+.-]{0,20}:\/\/)[^\s\/@"':]{0,200}:[^\s\/@"']{0,200}@|([?&;]([\w.~%-]{1,100})=)[^&;\s"'#]+/gi

/**
 * Replaces secrets within a text: values like those of {@link isSecretValue}, HTTP credentials, and in URLs
 * passwords and parameters with an {@link isSecretName}. Takes linear time.
 *
 * @param mark - stands for each secret; passwords of URLs are removed
 */
export function redactText(text: string, mark: string): string {
  secretText ??= new RegExp(`${schemeForm()}|${secretForms()}`, 'g')
  return text
    .replace(secretText, () => mark)
    .replace(urlParts, (part, scheme?: string, before?: string, name = '') => {
      if (scheme !== undefined) return scheme
      return isSecretName(name) ? `${before}${mark}` : part
    })
}
