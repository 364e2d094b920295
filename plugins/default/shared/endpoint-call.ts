/** Shared by the checks that call the user's own endpoint: parameters, and the event that is sent. */
import { type CheckInput, configuredHeaderFault, type JsonObject } from '@gateway/contract'
import { Type } from '@sinclair/typebox'

/** The URL of such an endpoint. */
export const endpointURL = (description: string) => Type.String({ pattern: '^https?://', description })

export const endpointHeaders = Type.Optional(
  Type.Record(
    Type.String({ pattern: "^[A-Za-z0-9!#$%&'*+.^_`|~-]+$" }),
    Type.String({ pattern: '^[^\\x00-\\x08\\x0a-\\x1f\\x7f]*$' }),
    {
      default: {},
      additionalProperties: false,
      description: 'Headers to send, such as a secret of the endpoint.',
    },
  ),
)

export const endpointTimeout = Type.Optional(
  Type.Integer({
    minimum: 1,
    maximum: 60_000,
    default: 3000,
    description: 'Time limit for the answer, in milliseconds.',
  }),
)

/** @throws Error that names the parameter when its value is not a URL */
export function checkURL(name: string, url: string): void {
  if (!URL.canParse(url)) throw new Error(`${name} is not a URL`)
}

/** @throws Error that names the first header that may not be set */
export function checkHeaders(headers: Readonly<Record<string, string>>): void {
  for (const [name, value] of Object.entries(headers)) {
    const reason = configuredHeaderFault(name, value)
    if (reason !== null) throw new Error(`headers: ${name} ${reason}`)
  }
}

/** The event: request, answer and metadata, without any header of the request. */
export function eventOf(input: CheckInput): JsonObject {
  const { phase, request, response } = input
  return {
    request: { json: request.json, text: request.text },
    response: {
      json: response?.json ?? null,
      text: phase === 'after' ? input.text : '',
      status: response?.status ?? null,
    },
    provider: input.provider,
    requestType: input.endpoint,
    metadata: { ...input.metadata },
    eventType: phase === 'before' ? 'beforeRequestHook' : 'afterRequestHook',
  }
}
