/**
 * The rules by which names and values count as secrets: one table for all sources, the extension and
 * the playground. A name that is a secret as the parameter of a URL need not be one as the member of a
 * JSON message (`code`, `key`), so each rule lists the places that it applies to.
 */

/** Where a name stands: a parameter, form field or storage key; an HTTP header; a member of JSON. */
type NamePlace = 'field' | 'header' | 'member'

/** Matches a part of a name, one of its words, or its end; words are separated by one space. */
interface NameRule {
  readonly match: 'part' | 'word' | 'end'
  readonly names: string
  readonly places: string
}

const nameRules: readonly NameRule[] = [
  {
    match: 'part',
    names:
      'passw|passphrase|passcode|secret|credential|api ?key|access ?key|private ?key|cookie|jwt',
    places: 'field header member',
  },
  {
    match: 'part',
    names: 'token|session|sessid|signature|authoriz|authoris|authent|oauth|csrf|xsrf|bearer',
    places: 'field header',
  },
  // maxTokens, token_endpoint and sessions are no secrets.
  {
    match: 'end',
    names: 'token|session|session ?id|sessid|signature|authorization|csrf|xsrf',
    places: 'member',
  },
  { match: 'word', names: 'auth|key|keys', places: 'field header' },
  {
    match: 'word',
    names:
      'code|codes|pass|pwd|pw|pin|otp|totp|mfa|sid|sig|sso|cvv|cvc|ssn|iban|nonce|ticket|assertion|samlresponse|samlrequest|hmac|mac|magic|invite|reset',
    places: 'field',
  },
  { match: 'word', names: 'env', places: 'member' }, // of a program in a client's configuration
]

/** Names that match a rule and are no secrets: of MCP, and the challenges of HTTP. */
const publicNames = {
  field: [],
  header: ['www authenticate', 'proxy authenticate'],
  member: ['progress token'],
} as const satisfies Record<NamePlace, readonly string[]>

/** Made at first use: a package without side effects runs nothing when it is imported. */
const compiled: { [place in NamePlace]?: { whole: RegExp; word: RegExp } } = {}

function patterns(place: NamePlace): { whole: RegExp; word: RegExp } {
  const of = (match: NameRule['match']) =>
    nameRules
      .filter((rule) => rule.match === match && rule.places.split(' ').includes(place))
      .map(({ names }) => names)
      .join('|') || '(?!)'
  compiled[place] ??= {
    whole: new RegExp(`${of('part')}|(?:${of('end')})$`),
    word: new RegExp(`^(?:${of('word')})\\d*$`),
  }
  return compiled[place]
}

function isSecretIn(place: NamePlace, name: string): boolean {
  const words = name
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
  const whole = words.join(' ')
  if ((publicNames[place] as readonly string[]).includes(whole)) return false
  const rules = patterns(place)
  return rules.whole.test(whole) || words.some((word) => rules.word.test(word))
}

/**
 * Whether a parameter, form field or storage key of that name probably holds a secret: `access_token`,
 * `apiKey`, `PHPSESSID`, `code`, `X-Amz-Signature` … Names are split into words at case changes and
 * punctuation, so that `author`, `monkey` and `keyboard` are no secrets. In doubt a name is a secret.
 */
export function isSecretName(name: string): boolean {
  return isSecretIn('field', name)
}

/** Whether the value of an HTTP header is a secret. Upper and lower case are the same. */
export function isSecretHeader(name: string): boolean {
  return isSecretIn('header', name)
}

/**
 * Whether a member of a JSON message probably holds a secret. Narrower than {@link isSecretName}: `code`,
 * `key`, `maxTokens` and `progressToken` are ordinary members of MCP and of records.
 */
export function isSecretMember(name: string): boolean {
  return isSecretIn('member', name)
}

/**
 * Forms of secrets: a JSON Web Token, keys with well-known beginnings, a private key in PEM. None can
 * match again from within a match that failed late, so that hostile texts take linear time.
 */
const secretForms = [
  String.raw`(?<![\w-])[\w-]{0,64}?eyJ[\w-]{8,}\.[\w-]*\.[\w-]*`,
  String.raw`\b(?:sk|pk|rk)[-_](?:(?:live|test|proj|ant)[-_][\w-]{8,}|[A-Za-z0-9]{16,})`,
  String.raw`\bgh[pousr]_\w{16,}`,
  String.raw`\bgithub_pat_\w{16,}`,
  String.raw`\bglpat-[\w-]{16,}`,
  String.raw`\bxox[abeprs]-[\w-]{8,}`,
  String.raw`\bA[KS]IA[A-Z0-9]{12,}`,
  String.raw`\bAIza[\w-]{30,}`,
  String.raw`-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----(?:[\w+/=\s\\]*-----END [A-Z ]{0,40}PRIVATE KEY-----)?`,
].join('|')

/** Credentials of HTTP within a text; as a whole value, `Basic knowledge` is none. */
const schemeForm = String.raw`\b(?:Bearer|Basic)\s+[\w+/=.~-]{8,}`

let secretValue: RegExp | undefined
let secretText: RegExp | undefined

/**
 * Whether text contains what is probably a secret, whatever its name: a JSON Web Token, a key with one of
 * the well-known beginnings, a private key in PEM.
 */
export function isSecretValue(text: string): boolean {
  secretValue ??= new RegExp(secretForms)
  return secretValue.test(text)
}

/** User and password of a URL, and a parameter of one. */
const urlParts =
  /(\b[a-z][a-z\d+.-]{0,20}:\/\/)[^\s/@"':]{0,200}:[^\s/@"']{0,200}@|([?&;]([\w.~%-]{1,100})=)[^&;\s"'#]+/gi

/**
 * Replaces secrets within a text: values like those of {@link isSecretValue}, HTTP credentials, and in URLs
 * passwords and parameters with an {@link isSecretName}. Takes linear time.
 *
 * @param mark - stands for each secret; passwords of URLs are removed
 */
export function redactText(text: string, mark: string): string {
  secretText ??= new RegExp(`${schemeForm}|${secretForms}`, 'g')
  return text
    .replace(secretText, () => mark)
    .replace(urlParts, (part, scheme?: string, before?: string, name = '') => {
      if (scheme !== undefined) return scheme
      return isSecretName(name) ? `${before}${mark}` : part
    })
}
