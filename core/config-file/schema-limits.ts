/**
 * The parts of the config file that the management contract defines: limits, defaults, models, policies, prompts,
 * servers. The file's schema must accept them all, whether or not this build supports them.
 */

import {
  type Guardrail,
  guardrailSchema,
  pricingAdjustmentsSchema,
  pricingConfigSchema,
  slugPattern,
} from '@gateway/domain'
import { type Static, type TSchema, Type } from '@sinclair/typebox'

export const closed = { additionalProperties: false } as const
export const text = (options: object = {}) => Type.String({ minLength: 1, ...options })
export const optionalText = (options: object = {}) => Type.Optional(text(options))
export const oneOf = <Value extends string>(...values: Value[]) => Type.Unsafe<Value>({ enum: values })
const anyObject = Type.Record(Type.String(), Type.Unknown())
const texts = Type.Record(Type.String(), Type.String())
const oneOrMany = (item: TSchema, most: number) =>
  Type.Unsafe<unknown>({
    if: { type: 'array' },
    then: { type: 'array', maxItems: most, items: item },
    else: item,
  })

/** A section whose keys are slugs. */
export const bySlug = <Value extends TSchema>(value: Value) =>
  Type.Record(Type.String({ pattern: slugPattern }), value, closed)

const usageKeys = {
  type: Type.Optional(oneOf('cost', 'tokens', 'requests')),
  credit_limit: Type.Number({ exclusiveMinimum: 0 }),
  alert_threshold: Type.Optional(Type.Number({ exclusiveMinimum: 0 })),
  periodic_reset: Type.Optional(oneOf('weekly', 'monthly')),
  periodic_reset_days: Type.Optional(Type.Integer({ minimum: 1, maximum: 365 })),
  next_usage_reset_at: optionalText(),
}

const rateLimit = Type.Object(
  {
    type: oneOf('requests', 'tokens'),
    unit: oneOf('rps', 'rpm', 'rph', 'rpd', 'rpw'),
    value: Type.Integer({ minimum: 0 }),
  },
  closed,
)

/** Limits of keys, providers and workspaces: one object or up to five. */
export const limitKeys = {
  usage_limits: Type.Optional(oneOrMany(Type.Object(usageKeys, closed), 5)),
  rate_limits: Type.Optional(oneOrMany(rateLimit, 5)),
}

/** A guardrail as an object; written once in the published schema. */
export const guardrailReference = Type.Unsafe<Guardrail>({ $ref: '#/$defs/guardrail' })

const guardrails = Type.Array(
  Type.Unsafe<unknown>({ if: { type: 'string' }, then: { minLength: 1 }, else: guardrailReference }),
)

/** Guardrails that requests cannot switch off. */
export const defaultGuardrails = {
  input_guardrails: Type.Optional(guardrails),
  output_guardrails: Type.Optional(guardrails),
}

const defaultsShape = Type.Object(
  {
    metadata: Type.Optional(texts),
    config_id: optionalText(),
    allow_config_override: Type.Optional(Type.Boolean()),
    ...defaultGuardrails,
  },
  closed,
)

export const defaultsReference = Type.Unsafe<Static<typeof defaultsShape>>({ $ref: '#/$defs/defaults' })

/** The targets of the references. */
export const sharedDefinitions = { guardrail: guardrailSchema, defaults: defaultsShape }

export const modelSchema = Type.Object(
  {
    slug: text(),
    enabled: Type.Optional(Type.Boolean()),
    name: optionalText(),
    is_custom: Type.Optional(Type.Boolean()),
    is_finetune: Type.Optional(Type.Boolean()),
    base_model_slug: optionalText(),
    configurations: Type.Optional(
      Type.Object({ custom_host: optionalText(), custom_headers: Type.Optional(texts) }, closed),
    ),
    pricing_config: Type.Optional(pricingConfigSchema),
    pricing_adjustments: Type.Optional(pricingAdjustmentsSchema),
  },
  closed,
)

export const workspaceSchema = Type.Object(
  { name: optionalText({ maxLength: 255 }), defaults: Type.Optional(defaultsReference), ...limitKeys },
  closed,
)

const values = Type.Unsafe<unknown>({
  if: { type: 'array' },
  then: { type: 'array', minItems: 1, items: { type: 'string' } },
  else: { type: 'string' },
})

const policyKeys = {
  name: optionalText({ maxLength: 255 }),
  description: Type.Optional(Type.String({ maxLength: 1024 })),
  workspace_id: optionalText(),
  conditions: Type.Array(
    Type.Object({ key: text(), value: values, excludes: Type.Optional(values) }, closed),
    {
      minItems: 1,
    },
  ),
  group_by: Type.Array(Type.Object({ key: text() }, closed), { minItems: 1 }),
}

export const policiesSchema = Type.Object(
  {
    rate_limits: Type.Optional(
      Type.Array(
        Type.Object(
          {
            ...policyKeys,
            type: oneOf('requests', 'tokens'),
            unit: oneOf('rpm', 'rph', 'rpd', 'rpw'),
            value: Type.Integer({ minimum: 1 }),
            target: Type.Optional(oneOf('llm', 'mcp_tools')),
          },
          closed,
        ),
      ),
    ),
    usage_limits: Type.Optional(Type.Array(Type.Object({ ...policyKeys, ...usageKeys }, closed))),
  },
  closed,
)

export const promptSchema = Type.Object(
  {
    name: optionalText({ maxLength: 255 }),
    collection_id: optionalText(),
    string: text(),
    parameters: Type.Optional(anyObject),
    model: optionalText(),
    virtual_key: optionalText(),
    config: optionalText(),
    variables_schema: Type.Optional(anyObject),
    tools: Type.Optional(Type.Array(anyObject)),
    functions: Type.Optional(Type.Array(anyObject)),
    tool_choice: Type.Optional(Type.Unknown()),
    is_raw_template: Type.Optional(Type.Unsafe<0 | 1 | boolean>({ enum: [0, 1, true, false] })),
    template_metadata: Type.Optional(anyObject),
    version_description: Type.Optional(Type.String({ maxLength: 1024 })),
  },
  closed,
)

export const promptPartialSchema = Type.Object(
  {
    name: optionalText({ maxLength: 255 }),
    string: text(),
    version_description: Type.Optional(Type.String({ maxLength: 1024 })),
  },
  closed,
)

const serverKeys = {
  name: optionalText({ maxLength: 255 }),
  description: Type.Optional(Type.String({ maxLength: 1024 })),
  url: text({ pattern: '^https?://' }),
  workspace: optionalText(),
  configurations: Type.Optional(anyObject),
  secret_mappings: Type.Optional(Type.Array(anyObject)),
  default_user_access: Type.Optional(oneOf('allow', 'deny')),
}

export const mcpServerSchema = Type.Object(
  {
    ...serverKeys,
    auth_type: Type.Optional(oneOf('none', 'headers', 'oauth_auto', 'oauth_client_credentials')),
    transport: Type.Optional(oneOf('http', 'sse')),
  },
  closed,
)

export const agentServerSchema = Type.Object(
  {
    ...serverKeys,
    auth_type: Type.Optional(oneOf('none', 'headers')),
    protocol: Type.Optional(oneOf('a2a')),
  },
  closed,
)
