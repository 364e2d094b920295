/** The one shape of every error answer, and the answers of the document that have it. */
import type { JsonObject } from '@gateway/contract'

const text = { type: 'string' }
const textOrNull = { type: ['string', 'null'] }

export const errorSchema: JsonObject = {
  type: 'object',
  description: 'Every error that the gateway itself raises, on every route.',
  required: ['error'],
  properties: {
    error: {
      type: 'object',
      required: ['message', 'type', 'param', 'code'],
      properties: {
        message: text,
        type: { type: 'string', description: 'The family of the error, such as invalid_request_error.' },
        param: {
          ...textOrNull,
          description:
            'What is wrong: a JSON pointer into the body, query/NAME, path/NAME, header/NAME, a scope.',
        },
        code: { ...textOrNull, description: 'What went wrong, for programs.' },
        details: {
          type: 'array',
          description: 'All faults, where there are several; param is the first.',
          items: {
            type: 'object',
            required: ['param', 'code', 'message'],
            properties: { param: text, code: text, message: text },
          },
        },
      },
    },
    provider: { type: 'string', description: 'Whose error it is, where it is an upstream’s.' },
    hook_results: { type: 'object', description: 'Where hooks ran.' },
  },
}

const descriptions: Readonly<Record<string, string>> = {
  '400': 'The request is wrong: param says where.',
  '401': 'There is no valid credential.',
  '403': 'The credential may not do this.',
  '404': 'There is no such thing, or another workspace has it.',
  '409': 'The name is taken, the object is in use, or its state forbids it.',
  '412': 'Another version than expected, or a usage limit that is used up.',
  '429': 'A rate limit is used up; retry-after says for how long.',
  '446': 'A guardrail denied.',
  default: 'Everything else that goes wrong.',
}

const nameOf = (status: string) => (status === 'default' ? 'Error' : `Error${status}`)

export const errorResponses: JsonObject = Object.fromEntries(
  Object.entries(descriptions).map(([status, description]) => [
    nameOf(status),
    {
      description,
      headers: { 'x-gateway-trace-id': { $ref: '#/components/headers/TraceId' } },
      content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
    },
  ]),
)

export const errorReference = (status: string): JsonObject => ({
  $ref: `#/components/responses/${nameOf(status)}`,
})
