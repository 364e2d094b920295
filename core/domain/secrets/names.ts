/**
 * Decides by name which members of a document are secret: the one table for sealing, masking, the audit log, exports
 * and redaction of error messages. Names are compared in snake_case, so `apiKey` and `api-key` are `api_key`.
 */

/** A member is secret when its name is one of these, or ends with an underscore and one of these. */
const secretEndings: ReadonlySet<string> = new Set([
  ...['api_key', 'apikey', 'access_key', 'access_key_id', 'secret_access_key', 'secret_key', 'private_key'],
  ...['signing_key', 'encryption_key', 'subscription_key', 'account_key', 'license_key', 'key_passphrase'],
  ...['secret', 'secret_id', 'token', 'password', 'passphrase', 'credential', 'credentials'],
  ...['authorization', 'cookie', 'service_account_json'],
])

/** Names that are secret only as a whole name. */
const secretNames: ReadonlySet<string> = new Set(['key', 'sealed', 'invite_link', 'private_key_pem'])

/** Objects whose members are header values: every one of them may be a credential. */
const headerMaps: ReadonlySet<string> = new Set(['headers', 'custom_headers'])

export const isHeaderMap = (name: string): boolean => headerMaps.has(name)

/** Parents whose members are never secrets, such as `metadata`. */
const plainPlaces: Readonly<Record<string, (ancestors: readonly string[]) => boolean>> = {
  /** Selects a member of a fetched secret, in a secret reference and in a mapping. */
  secret_key: (ancestors) => ancestors.length === 0 || ancestors.includes('secret_mappings'),
  /** The subject of a policy's conditions and groups. */
  key: (ancestors) => ['conditions', 'group_by', 'groups'].some((place) => ancestors.includes(place)),
}

const mostWords = 3

/** A name in snake_case. */
export const snakeCase = (name: string): string =>
  name
    .slice(0, 255)
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replace(/([A-Z])([A-Z][a-z])/g, '$1_$2')
    .replace(/[-. ]/g, '_')
    .toLowerCase()

/**
 * Whether a member with this name is secret.
 * @param ancestors names of the enclosing members, outermost first
 */
export function isSecretName(name: string, ancestors: readonly string[] = []): boolean {
  if (headerMaps.has(ancestors.at(-1) ?? '')) return true
  const words = snakeCase(name).split('_').filter(Boolean)
  const whole = words.join('_')
  const isPlain = Object.hasOwn(plainPlaces, whole) ? plainPlaces[whole] : undefined
  if (isPlain?.(ancestors) === true) return false
  if (secretNames.has(whole)) return true
  return Array.from({ length: mostWords }, (_, index) => words.slice(-index - 1).join('_')).some((ending) =>
    secretEndings.has(ending),
  )
}

/** Whether a header with this name is masked where others are shown. */
export const isSecretHeader = (name: string): boolean =>
  /auth|key|token|secret|password|cookie|signature/i.test(name)
