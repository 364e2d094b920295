/**
 * The config object of the specification as one JSON Schema for the whole tree.
 * The same schema serves `x-gateway-config`, the saved configs, and every target.
 */

import { credentialKeys, type Guardrail, guardrailSchema, hookSchema } from '@gateway/domain'
import { type Static, type TSchema, Type } from '@sinclair/typebox'

const closed = { additionalProperties: false } as const
const text = (options: object = {}) => Type.Optional(Type.String({ minLength: 1, ...options }))
const statusCodes = Type.Array(Type.Integer({ minimum: 100, maximum: 599 }))
const guardrailItem = Type.Unsafe<string | Guardrail>({
  if: { type: 'string' },
  then: { minLength: 1 },
  else: guardrailSchema,
})

const sticky = Type.Object(
  {
    by: Type.String({
      pattern: "^(?:auto|user|metadata\\..+|header\\.[!#$%&'*+.^_`|~0-9A-Za-z-]+)$",
      description:
        'What identifies a session: auto (workspace, model, system message, tools and first user message), user, metadata.KEY or header.NAME.',
    }),
    ttl_seconds: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 86_400,
        default: 300,
        description: 'How long a session stays with its target when weights change.',
      }),
    ),
  },
  {
    ...closed,
    description:
      "For loadbalance: sends the requests of one session to the same target while it is healthy, which keeps the provider's prompt cache warm.",
  },
)

const strategy = Type.Object(
  {
    mode: Type.Unsafe<'single' | 'loadbalance' | 'fallback' | 'conditional'>({
      enum: ['single', 'loadbalance', 'fallback', 'conditional'],
    }),
    conditions: Type.Optional(
      Type.Array(
        Type.Object(
          {
            query: Type.Record(Type.String(), Type.Unknown()),
            then: Type.String(),
          },
          closed,
        ),
      ),
    ),
    default: Type.Optional(Type.String()),
    on_status_codes: Type.Optional(statusCodes),
    balance: Type.Optional(
      Type.Unsafe<'weight' | 'latency' | 'least_pending'>({
        enum: ['weight', 'latency', 'least_pending'],
        default: 'weight',
        description:
          'At loadbalance: an additional criterion. latency: the weights times the inverse of the mean time to the first byte; least_pending: the fewest calls in flight.',
      }),
    ),
    sticky: Type.Optional(sticky),
  },
  {
    ...closed,
    if: { properties: { mode: { const: 'conditional' } }, required: ['mode'] },
    then: { required: ['conditions', 'default'] },
  },
)

const cache = Type.Object(
  {
    mode: Type.Unsafe<'simple' | 'semantic'>({ enum: ['simple', 'semantic'] }),
    max_age: Type.Optional(Type.Integer({ minimum: 1 })),
    threshold: Type.Optional(
      Type.Number({
        exclusiveMinimum: 0,
        maximum: 1,
        description:
          'With mode semantic: the minimum cosine similarity of a hit. Default: cache.semantic.threshold of the config file.',
      }),
    ),
  },
  closed,
)

const retry = Type.Object(
  {
    attempts: Type.Integer({ minimum: 0, maximum: 5 }),
    on_status_codes: Type.Optional(Type.Array(Type.Number({ minimum: 100, maximum: 599 }))),
    use_retry_after_headers: Type.Optional(Type.Boolean()),
    use_retry_after_header: Type.Optional(Type.Boolean()),
  },
  closed,
)

const hedge = Type.Object(
  {
    after_ms: Type.Integer({
      minimum: 1,
      maximum: 600_000,
      description:
        'Milliseconds without an answer (for a stream: without content) before a second call is started.',
    }),
    budget_percent: Type.Optional(
      Type.Number({
        exclusiveMinimum: 0,
        maximum: 100,
        default: 10,
        description: 'The maximum number of extra calls, in percent of the requests of the node.',
      }),
    ),
  },
  {
    ...closed,
    description:
      'Starts a second call when the first one takes too long, and uses the first successful answer. At a target: the same target again; at fallback: the next target; at loadbalance: another target.',
  },
)

const queue = Type.Object(
  {
    max_wait_ms: Type.Integer({
      minimum: 1,
      maximum: 600_000,
      description: 'The longest wait in milliseconds; then the answer is 429.',
    }),
    priority: Type.Optional(
      Type.Unsafe<'interactive' | 'batch' | number>({
        if: { type: 'number' },
        then: { type: 'integer', minimum: 0, maximum: 100 },
        else: { enum: ['interactive', 'batch'] },
        default: 'interactive',
        description: 'interactive (50), batch (10), or a number from 0 to 100; higher ones are served first.',
      }),
    ),
  },
  {
    ...closed,
    description:
      'If the rate limits that the providers report leave no room at any target, requests wait for room, by priority and then in order of arrival, instead of failing.',
  },
)

const breaker = Type.Object(
  {
    failure_threshold: Type.Number({ minimum: 1 }),
    cooldown_interval: Type.Number({ minimum: 30_000 }),
    failure_status_codes: Type.Optional(statusCodes),
  },
  closed,
)

/** A shadow in the schema; its inline config is a node, too. */
const shadow = Type.Object(
  {
    config: Type.Unsafe<unknown>({
      if: { type: 'string' },
      then: { minLength: 1, maxLength: 300 },
      else: { $ref: '#/$defs/node' },
      description: 'The other config: inline, or the id, slug or #SLUG of a saved one.',
    }),
    sample_percent: Type.Optional(
      Type.Number({
        minimum: 1,
        maximum: 100,
        default: 100,
        description: 'The share of the requests, chosen by a hash of their trace id.',
      }),
    ),
    budget_per_day: Type.Optional(
      Type.Number({
        exclusiveMinimum: 0,
        description: 'US dollars per UTC day. A shadow does not start if its estimate no longer fits.',
      }),
    ),
  },
  {
    ...closed,
    description:
      'Runs the same requests against another config, after their answer has gone out, and compares the answers as a running replay.',
  },
)

const milliseconds = (maximum: number, description: string) =>
  Type.Optional(Type.Integer({ minimum: 1, maximum, description }))

const nodeKeys = {
  strategy: Type.Optional(strategy),
  provider: text(),
  virtual_key: text(),
  ...credentialKeys,
  name: text(),
  strict_compat_compliance: Type.Optional(Type.Boolean()),
  prompt_cache: Type.Optional(
    Type.Unsafe<'auto' | 'off'>({
      enum: ['auto', 'off'],
      default: 'off',
      description:
        'auto: marks the tools, the system prompt and the last turn of requests without cache marks, at providers whose prompt cache needs them.',
    }),
  ),
  override_params: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
  prompt_id: text(),
  request_timeout: Type.Optional(Type.Integer({ minimum: 1, maximum: 86_400_000 })),
  first_token_timeout: milliseconds(
    600_000,
    'For a stream: the maximum time, in milliseconds, from sending the call to the first content. Until then nothing was sent to the client, so the call can be retried or fall back.',
  ),
  stream_idle_timeout: milliseconds(
    600_000,
    'For a stream: the maximum idle time of the provider in milliseconds. Replaces server.stream_idle_timeout_ms.',
  ),
  stream_total_timeout: milliseconds(
    3_600_000,
    'For a stream: the maximum time in milliseconds from the arrival of the request to the last byte, across all attempts. Effective only at the root of a config.',
  ),
  weight: Type.Optional(Type.Number({ minimum: 0 })),
  on_status_codes: Type.Optional(statusCodes),
  forward_headers: Type.Optional(Type.Array(Type.String({ minLength: 1 }))),
  passthrough: Type.Optional(Type.Boolean()),
  cache: Type.Optional(cache),
  retry: Type.Optional(retry),
  cb_config: Type.Optional(breaker),
  hedge: Type.Optional(hedge),
  queue: Type.Optional(queue),
  shadow: Type.Optional(shadow),
  before_request_hooks: Type.Optional(Type.Array(hookSchema)),
  after_request_hooks: Type.Optional(Type.Array(hookSchema)),
  input_guardrails: Type.Optional(Type.Array(guardrailItem)),
  output_guardrails: Type.Optional(Type.Array(guardrailItem)),
}

const nodeShape = Type.Object(nodeKeys)

/** One node of a config: the keys of the specification, and targets of the same shape. */
export type Config = Omit<Static<typeof nodeShape>, 'shadow'> & {
  targets?: Config[] | undefined
  shadow?: WrittenShadow | undefined
}

interface WrittenShadow {
  config: string | Config
  sample_percent?: number
  budget_per_day?: number
}

/** The specification's list: at least one of these members is required. */
const keyCombinations: readonly (readonly string[])[] = [
  ['provider', 'api_key'],
  ['provider', 'custom_host'],
  ['virtual_key'],
  ['strategy', 'targets'],
  ['cache'],
  ['retry'],
  ['prompt_id'],
  ['forward_headers'],
  ['request_timeout'],
  ['prompt_cache'],
  ['provider', 'cloudA_access_key_id', 'cloudA_secret_access_key'],
  ['provider', 'cloudC_region', 'cloudC_service_account_json'],
  ['provider', 'cloudC_region', 'cloudC_project_id'],
  ['provider', 'cloudB_deployment_name', 'cloudB_deployment_type', 'cloudB_region', 'cloudB_api_version'],
  ['provider', 'cloudB_endpoint_name', 'cloudB_deployment_type'],
  ['after_request_hooks'],
  ['before_request_hooks'],
  ['input_guardrails'],
  ['output_guardrails'],
  ['passthrough'],
]

/** Those that are enough to call a provider. */
const callable = keyCombinations.filter(([first]) => first === 'provider' || first === 'virtual_key')

/** The other ways to call a provider, for the error that `api_key` is missing. */
const otherKeys = callable
  .map((keys) => keys.filter((key) => key !== 'provider').join(' + '))
  .filter((keys) => keys !== 'api_key')
const missingApiKey = `is required with this provider, unless the target has ${otherKeys.join('; or ')}`

/** Keys not allowed on a passthrough target, which leaves the request unchanged. */
const passthroughExcludes = [
  'targets',
  'strategy',
  'override_params',
  'input_guardrails',
  'output_guardrails',
]

const slug = '^@[^/@\\s]+$'

/**
 * The JSON Schema of a config.
 * @param keyless names of the providers that need no credential: `provider` alone is enough for them
 */
export function createConfigSchema(keyless: readonly string[]): TSchema {
  const modelNamesProvider = {
    required: ['override_params'],
    properties: {
      override_params: {
        type: 'object',
        required: ['model'],
        properties: { model: { pattern: '^@[^/]+/.' } },
      },
    },
  }
  const withoutCredential = {
    required: ['provider'],
    properties: {
      provider: {
        not: {
          anyOf: [{ pattern: slug }, ...(keyless.length > 0 ? [{ enum: [...keyless] }] : [])],
        },
      },
    },
    not: {
      anyOf: callable.map((required) => ({ required })),
    },
  }
  // The other keys of a combination are required below, which gives the error its own path.
  const firstKeys = [...new Set([...keyCombinations.flatMap(([first]) => first ?? []), 'targets'])]
  const node = {
    type: 'object',
    properties: {
      ...nodeKeys,
      targets: { type: 'array', minItems: 1, items: { $ref: '#/$defs/node' } },
    },
    additionalProperties: false,
    allOf: [
      {
        anyOf: [...firstKeys.map((key) => ({ required: [key] })), modelNamesProvider],
        explain: `needs at least one of: ${keyCombinations.map((keys) => keys.join(' + ')).join('; ')}; or a provider written @slug or one that needs no credential`,
      },
      {
        if: withoutCredential,
        then: { required: ['api_key'], explainMissing: missingApiKey },
      },
      { dependencies: { strategy: ['targets'], targets: ['strategy'] } },
      {
        if: {
          required: ['passthrough'],
          properties: { passthrough: { const: true } },
        },
        then: {
          properties: Object.fromEntries(
            passthroughExcludes.map((key) => [key, { not: {}, explain: 'is not allowed with passthrough' }]),
          ),
        },
      },
    ],
  }
  return Type.Unsafe({ $defs: { node }, $ref: '#/$defs/node' })
}
