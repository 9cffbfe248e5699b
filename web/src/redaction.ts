/**
 * The rules by which the built-in sources keep secrets in the page, as functions: `pagemcp/redaction`.
 * They have no state and need no engine.
 */

export { isPrivateElement, redactUrl } from './redact.ts'
export {
  isSecretHeader,
  isSecretMember,
  isSecretName,
  isSecretValue,
  redactText,
} from './secrets.ts'
