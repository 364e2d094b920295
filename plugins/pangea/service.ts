/**
 * Pangea's services: each has its own host below the domain (cloud provider and region), and answers with an
 * envelope `{status, summary, result}`. Reference: https://pangea.cloud/docs/api/
 * Errors: Error for a status that is not 2xx, and for an envelope without success (a 202 asks to retry later).
 */
import { type CheckIo, isObject, type JsonObject } from '@gateway/contract'
import { keyOf, postForObject, scope, secret, timeoutOf, unreadable, urlOf } from '@gateway/plugin-kit'
import { Type } from '@sinclair/typebox'

const vendorDomain = 'aws.us.pangea.cloud'

const domainOf = (description: string) =>
  Type.Optional(Type.String({ pattern: '^[a-z0-9-]+(?:\\.[a-z0-9-]+)+$', description }))

/** The parameters of every check of this vendor. */
export const common = {
  scope,
  timeout: timeoutOf(5000),
  apiKey: secret('Overrides plugins.settings.pangea.apiKey.'),
  domain: domainOf('Overrides plugins.settings.pangea.domain. Requires apiKey as well.'),
}

export const settings = Type.Object(
  {
    apiKey: secret('A token for AI Guard, for Redact, or for both.'),
    domain: domainOf(`The cloud provider and region; without it ${vendorDomain}.`),
    baseUrl: Type.Optional(
      Type.String({
        pattern: '^https?://',
        description: 'Default: https://{SERVICE_NAME}.DOMAIN, where {SERVICE_NAME} is ai-guard or redact.',
      }),
    ),
  },
  { additionalProperties: false },
)

/** Calls a service and returns its result. */
export type Ask = (
  io: CheckIo,
  path: string,
  options: { json: JsonObject; timeoutMs: number },
) => Promise<JsonObject>

/** @throws Error if the credential is missing */
export function serviceOf(
  name: 'ai-guard' | 'redact',
  given: Readonly<Record<string, unknown>>,
  settings: Readonly<JsonObject>,
): Ask {
  const key = keyOf('pangea', { key: 'apiKey', url: 'domain' }, { parameters: given, settings })
  const template = `https://{SERVICE_NAME}.${given.domain ?? settings.domain ?? vendorDomain}`
  const baseUrl = given.domain === undefined ? (settings.baseUrl ?? template) : template
  const url = urlOf(
    'baseUrl',
    { baseUrl: String(baseUrl).replaceAll('{SERVICE_NAME}', name) },
    { settings: {}, vendorUrl: '' },
  )
  const headers = { authorization: `Bearer ${key}` }
  return async (io, path, { json, timeoutMs }) => {
    const answer = await postForObject(io, 'Pangea', { url: `${url}${path}`, headers, json, timeoutMs })
    const isSuccess = typeof answer.status === 'string' && answer.status.toLowerCase() === 'success'
    return isSuccess && isObject(answer.result) ? answer.result : unreadable('Pangea')
  }
}
