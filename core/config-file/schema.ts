/**
 * The config file as one JSON Schema, for validation and for completion in editors. Keys are those of the contract
 * (section 1) and of the management contract (section 23).
 */

import { compatibleEndpoints } from '@gateway/contract'
import { credentialKeys, type Guardrail, pricingAdjustmentsSchema } from '@gateway/domain'
import { type Static, type TSchema, Type } from '@sinclair/typebox'
import type { Config } from './routing-config.ts'
import {
  agentServerSchema,
  bySlug,
  closed,
  defaultsReference,
  guardrailReference,
  limitKeys,
  mcpServerSchema,
  modelSchema,
  oneOf,
  optionalText,
  policiesSchema,
  promptPartialSchema,
  promptSchema,
  sharedDefinitions,
  text,
  workspaceSchema,
} from './schema-limits.ts'
import * as settings from './settings.ts'
import { timePattern } from './time.ts'

const provider = Type.Object(
  {
    provider: text(),
    ...credentialKeys,
    configurations: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
    ...limitKeys,
    models: Type.Optional(Type.Array(modelSchema)),
    pricing_adjustments: Type.Optional({
      ...pricingAdjustmentsSchema,
      description: 'Multipliers of the prices of its models; those of a model replace all of them.',
    } as typeof pricingAdjustmentsSchema),
  },
  closed,
)

const customProvider = Type.Object(
  {
    base_url: settings.httpUrl,
    endpoints: Type.Array(oneOf(...compatibleEndpoints), { minItems: 1, uniqueItems: true }),
    title: optionalText(),
    docs: Type.Optional(settings.httpUrl),
  },
  closed,
)

/** The workspace of keys that do not specify one. */
export const defaultWorkspace = 'default'

const apiKey = Type.Object(
  {
    name: text({ maxLength: 255 }),
    description: Type.Optional(Type.String({ maxLength: 1024 })),
    key_hash: text({
      pattern: '^sha256:[0-9a-f]{64}$',
      explain: 'must be sha256: and 64 hexadecimal digits, as `gateway keys hash` prints',
    }),
    scopes: Type.Array(text(), { minItems: 1 }),
    workspace: optionalText({ default: defaultWorkspace }),
    defaults: Type.Optional(defaultsReference),
    allowed_ips: Type.Optional(
      Type.Array(text(), {
        maxItems: 200,
        description: 'Addresses and networks that may use the key. Default, and empty: any.',
      }),
    ),
    expires_at: optionalText({ pattern: timePattern, explain: 'must be an ISO 8601 time' }),
    ...limitKeys,
  },
  closed,
)

const section = <Value extends TSchema>(schema: Value, description: string) =>
  Type.Optional({ ...schema, description } as Value)

export const fileShape = Type.Object(
  {
    // `$schema`, for editors; the gateway ignores it.
    $schema: Type.Optional(Type.String()),
    server: Type.Optional(settings.server),
    store: Type.Optional(settings.store),
    upstream: Type.Optional(settings.upstream),
    redis: Type.Optional(settings.redis),
    security: Type.Optional(settings.security),
    providers: section(
      bySlug(provider),
      'Stored credentials by slug, addressed as @slug or as a virtual key.',
    ),
    custom_providers: section(bySlug(customProvider), 'Providers that speak the compatible format, by name.'),
    configs: section(
      bySlug(Type.Unsafe<Config>({ $ref: '#/$defs/node' })),
      'Saved routing configs by id, for x-gateway-config.',
    ),
    guardrails: section(
      bySlug(guardrailReference),
      'Saved guardrails by id, for input_guardrails and output_guardrails.',
    ),
    prompts: section(bySlug(promptSchema), 'Prompt templates by slug. Each has one version.'),
    prompt_partials: section(bySlug(promptPartialSchema), 'Texts that prompt templates include, by slug.'),
    api_keys: section(
      Type.Array(apiKey),
      'Keys that may call the gateway; create them with `gateway keys create`.',
    ),
    plugins: Type.Optional(settings.plugins),
    cache: Type.Optional(settings.cache),
    logs: Type.Optional(settings.logs),
    telemetry: Type.Optional(settings.telemetry),
    public_url: section(settings.httpUrl, 'The base URL of links.'),
    email: Type.Optional(settings.email),
    files: Type.Optional(settings.files),
    batches: Type.Optional(settings.batches),
    workspaces: section(bySlug(workspaceSchema), 'Workspaces by slug.'),
    policies: section(policiesSchema, 'Limits by condition.'),
    mcp_servers: section(bySlug(mcpServerSchema), 'MCP servers by slug.'),
    agent_servers: section(bySlug(agentServerSchema), 'Agent servers by slug.'),
  },
  closed,
)

/** The top-level keys. */
export const fileSections: ReadonlySet<string> = new Set(Object.keys(fileShape.properties))

/** The schema of one section, self-contained. */
export function sectionSchema(name: string): TSchema {
  const properties: Record<string, TSchema> = fileShape.properties
  return Type.Unsafe({ ...properties[name], $defs: sharedDefinitions })
}

/** The file as written, without defaults. */
export type DeclaredFile = Static<typeof fileShape>
export type DeclaredProvider = Static<typeof provider>
export type DeclaredCustomProvider = Static<typeof customProvider>
export type DeclaredApiKey = Static<typeof apiKey>
export type DeclaredGuardrail = Guardrail

/**
 * The JSON Schema of the whole file.
 * @param configSchema the result of `createConfigSchema`; its `$defs` move to the root, where its `$ref`s resolve them
 */
export function createFileSchema(configSchema: TSchema): TSchema {
  const { $defs } = configSchema as { $defs?: Record<string, unknown> }
  return { ...fileShape, $defs: { ...$defs, ...sharedDefinitions } } as TSchema
}
