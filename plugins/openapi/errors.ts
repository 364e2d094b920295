/** The format of every error, and the error answers of the document with an example each. */
import { GatewayError, type JsonObject } from '@gateway/contract'

const text = { type: 'string' }
const textOrNull = { type: ['string', 'null'] }

export const errorSchema: JsonObject = {
  type: 'object',
  description: 'The format of every error that the gateway itself raises, on every route.',
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
            'Where the error is: a JSON pointer into the body, query/NAME, path/NAME, header/NAME, or a scope.',
        },
        code: { ...textOrNull, description: 'The error code, for programs.' },
        details: {
          type: 'array',
          description: 'All errors if there are several; `param` is that of the first.',
          items: {
            type: 'object',
            required: ['param', 'code', 'message'],
            properties: { param: text, code: text, message: text },
          },
        },
      },
    },
    provider: { type: 'string', description: 'The provider, for errors of a provider.' },
    hook_results: { type: 'object', description: 'Results of the guardrails that ran.' },
  },
}

interface Described {
  description: string
  example: GatewayError
}

const errors: Readonly<Record<string, Described>> = {
  '400': {
    description:
      'The request is invalid. `param` names the invalid member; `details` lists all errors if there are several.',
    example: new GatewayError('invalid_body', 'name must be a string.', { param: '/name' }),
  },
  '401': {
    description: 'The credential is missing or not valid.',
    example: new GatewayError('invalid_api_key', 'The API key is not valid.'),
  },
  '403': {
    description: 'The credential is valid but lacks the right. `param` names the scope.',
    example: new GatewayError('missing_scope', 'The API key lacks the scope "configs.create".', {
      param: 'configs.create',
    }),
  },
  '404': {
    description: 'The object does not exist, or belongs to another workspace.',
    example: new GatewayError('not_found', 'There is no such object.', { param: 'path/id' }),
  },
  '409': {
    description: 'The name is taken, the object is in use, or its state does not allow the change.',
    example: new GatewayError('conflict', 'The slug "my-app" is taken.', { param: '/slug' }),
  },
  '412': {
    description:
      'The object has a different version from the one in `if-match`, or a usage limit is exhausted.',
    example: new GatewayError('precondition_failed', 'The object was changed in the meantime.', {
      param: 'header/if-match',
    }),
  },
  '429': {
    description:
      'A rate limit is exhausted: one of the gateway (`rate_limit_exceeded`), or those of all providers that could answer (`capacity_exhausted`). `retry-after` gives the seconds to wait.',
    example: new GatewayError(
      'rate_limit_exceeded',
      'The rate limit of 60 requests per minute is exhausted.',
    ),
  },
  '446': {
    description:
      'A guardrail with `deny` refused the request or the answer. `hook_results` names the checks.',
    example: new GatewayError('guardrail_denied', 'A guardrail denied the request.'),
  },
  default: {
    description: 'Any other error.',
    example: new GatewayError('internal_error', 'An internal error occurred.'),
  },
}

const bodyOf = ({ message, type, param, code }: GatewayError): JsonObject => ({
  error: { message, type, param, code },
})

const nameOf = (status: string) => (status === 'default' ? 'Error' : `Error${status}`)

export const errorResponses: JsonObject = Object.fromEntries(
  Object.entries(errors).map(([status, { description, example }]) => [
    nameOf(status),
    {
      description,
      headers: { 'x-gateway-trace-id': { $ref: '#/components/headers/TraceId' } },
      content: {
        'application/json': { schema: { $ref: '#/components/schemas/Error' }, example: bodyOf(example) },
      },
    },
  ]),
)

export const errorReference = (status: string): JsonObject => ({
  $ref: `#/components/responses/${nameOf(status)}`,
})
