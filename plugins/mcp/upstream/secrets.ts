/** Removes credentials that were sent to an upstream from its answers: some servers and tools repeat their headers. */
import type { JsonObject } from '@gateway/contract'

const credentialHeader = /(?:^|[-_])(?:authorization|api-?key|token|jwt|secret|password)$/
const scheme = /^(?:bearer|basic|token)\s+/i
/** Shorter values may occur in any text. */
const minChars = 8

/** The secrets in the form that they have inside JSON. */
export function secretsOf(headers: Readonly<Record<string, string>>): string[] {
  const found: string[] = []
  for (const [name, value] of Object.entries(headers)) {
    const secret = value.replace(scheme, '').trim()
    if (credentialHeader.test(name) && secret.length >= minChars)
      found.push(JSON.stringify(secret).slice(1, -1))
  }
  return found
}

export function withoutSecrets(message: JsonObject, secrets: readonly string[]): JsonObject {
  if (secrets.length === 0) return message
  const text = JSON.stringify(message)
  if (!secrets.some((secret) => text.includes(secret))) return message
  const clean = secrets.reduce((left, secret) => left.replaceAll(secret, '[redacted]'), text)
  return JSON.parse(clean) as JsonObject
}
