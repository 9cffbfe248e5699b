/**
 * The rules by which names and values count as secrets: one table for all sources, the extension and
 * the playground. A name that is a secret as the parameter of a URL need not be one as the member of a
 * JSON message (`code`, `key`), so the table has a column for each place of a name.
 */

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
/** Secret in fields. */
const codeWord =
  'codes?|pass|pwd?|pin|t?otp|mfa|sid|sig|sso|cv[vc]|ssn|iban|nonce|ticket|assertion|saml(?:response|request)|h?mac|magic|invite|reset'
/** Secret in members: the environment of a program, in a client's configuration. */
const programWord = 'env'

/** One place: what is secret in it, as part of a name and as a word, and names that only look so. */
type NameRules = readonly [parts: RegExp, words: RegExp, exceptions?: string]

// Compiled at first use: a package without side effects runs nothing when it is imported.
let fieldRules: NameRules | undefined
let headerRules: NameRules | undefined
let memberRules: NameRules | undefined

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
