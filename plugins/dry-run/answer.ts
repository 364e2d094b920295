/** The answer of POST `/dry-run`. */
import { nullable } from '@gateway/control-plane/engine'
import { Type } from '@sinclair/typebox'

const closed = { additionalProperties: false } as const
const text = nullable(Type.String())
const number = nullable(Type.Number())
const fault = Type.Object({ param: text, code: Type.String(), message: Type.String() }, closed)

const oneOf = <Value extends string>(...values: Value[]) =>
  Type.Unsafe<Value>({ type: 'string', enum: values })

const target = Type.Object(
  {
    path: Type.String({ description: 'config.targets[0]' }),
    provider: text,
    virtual_key: text,
    model: text,
    host_kind: nullable(oneOf('stored', 'default', 'custom')),
    probability: Type.Number({
      minimum: 0,
      maximum: 1,
      description:
        'The share of requests, from weights and circuit breakers. The first target of a fallback has 1.',
    }),
    order: nullable(Type.Integer({ description: 'The position within the nearest fallback, from 0.' })),
    condition: Type.Optional(
      nullable(
        Type.Integer({
          description: 'The index of the condition that selects this target. Null: the default.',
        }),
      ),
    ),
    breaker: oneOf('closed', 'open', 'half_open'),
    allowed: Type.Boolean(),
    refusals: Type.Array(fault),
    left_out: Type.Array(
      Type.String({
        description:
          'A path of the body that this target would not get, because its format has nothing like it.',
      }),
    ),
    estimate: Type.Object(
      {
        input_tokens: Type.Integer(),
        max_output_tokens: Type.Integer(),
        cost: nullable(Type.Number({ description: 'US cents; null if the price is unknown.' })),
      },
      closed,
    ),
  },
  closed,
)

const limit = Type.Object(
  {
    param: Type.String({ description: 'The name of the limit in errors: api-keys/ID.' }),
    type: oneOf('requests', 'tokens', 'cost'),
    unit: Type.Optional(oneOf('rps', 'rpm', 'rph', 'rpd', 'rpw')),
    bucket: Type.String({ description: 'The owner or group of a policy whose usage is counted separately.' }),
    limit: Type.Number(),
    used: Type.Number(),
    reserved: Type.Number(),
    remaining: Type.Number(),
    reset_at: text,
    applies: Type.Boolean({
      description: 'Whether the request, or a target that it may reach, counts towards the limit.',
    }),
    refused: Type.Boolean(),
  },
  closed,
)

const guardrails = Type.Array(
  Type.Object({ id: Type.String(), source: oneOf('organisation', 'workspace', 'key', 'config') }, closed),
)

export const dryRunAnswer = Type.Object(
  {
    object: Type.Literal('dry_run'),
    valid: Type.Boolean(),
    errors: Type.Array(fault),
    credential: Type.Object({ type: Type.String(), id: text, scopes_ok: Type.Boolean() }, closed),
    config: Type.Object(
      {
        source: oneOf('header', 'model', 'key', 'workspace', 'none'),
        id: text,
        slug: text,
        version: number,
        resolved: nullable(
          Type.Object({}, { additionalProperties: true, description: 'Secrets are masked.' }),
        ),
      },
      closed,
    ),
    metadata: Type.Record(Type.String(), Type.String()),
    targets: Type.Array(target),
    guardrails: Type.Object({ input: guardrails, output: guardrails }, closed),
    cache: Type.Object(
      {
        mode: nullable(oneOf('simple', 'semantic')),
        agreement: Type.Optional(
          Type.Unsafe<'strict' | 'off'>({
            ...oneOf('strict', 'off'),
            description: 'What a semantic hit needs: cache.semantic.agreement of the config file.',
          }),
        ),
        would: oneOf('hit', 'miss', 'disabled'),
      },
      closed,
    ),
    queue: nullable(
      Type.Object(
        {
          path: Type.String({ description: 'The node with the queue.' }),
          priority: Type.Integer(),
          max_wait_ms: Type.Integer(),
          waiting: Type.Integer({ description: 'The requests that are waiting.' }),
          would_wait: Type.Boolean(),
          room_at: text,
        },
        closed,
      ),
    ),
    limits: Type.Array(limit),
    policies_not_matching: Type.Array(Type.Object({ id: Type.String(), because: text }, closed)),
    forwarded_headers: Type.Array(Type.String()),
  },
  { title: 'DryRun' },
)
