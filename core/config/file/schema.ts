/**
 * The config file as one JSON Schema: it validates the file, and editors complete by it.
 * Keys are those of the contract (section 1) and of the management contract (section 23).
 */

import { compatibleEndpoints } from '@gateway/contract'
import { type Static, type TSchema, Type } from '@sinclair/typebox'
import { credentialKeys } from '../../domain/credential-keys.ts'
import type { Guardrail } from '../../domain/hooks.ts'
import { pricingAdjustmentsSchema } from '../../domain/index.ts'
import type { Config } from '../schema.ts'
import { fileDefaults } from './defaults.ts'
import {
  agentServerSchema,
  bySlug,
  closed,
  defaultGuardrails,
  defaultsReference,
  guardrailReference,
  limitKeys,
  mcpServerSchema,
  modelSchema,
  oneOf,
  optionalText,
  policiesSchema,
  promptSchema,
  sharedDefinitions,
  text,
  workspaceSchema,
} from './schema-limits.ts'
import { sizePattern } from './size.ts'
import { timePattern } from './time.ts'

const size = (fallback: string) =>
  Type.Optional(
    Type.Unsafe<string | number>({
      type: ['string', 'integer'],
      pattern: sizePattern,
      minimum: 1,
      default: fallback,
      explain: 'must be a size such as 25mb, or a number of bytes',
    }),
  )
const port = (options: object = {}) =>
  Type.Optional(Type.Integer({ minimum: 0, maximum: 65_535, ...options }))
const days = Type.Optional(Type.Integer({ minimum: 1, maximum: 3650 }))
const milliseconds = (fallback: number, minimum: number) =>
  Type.Optional(Type.Integer({ minimum, maximum: 86_400_000, default: fallback }))
const url = (schemes: string, what: string) => text({ pattern: `^${schemes}:`, explain: `must be ${what}` })
const httpUrl = url('https?', 'an http or https URL')

const server = Type.Object(
  {
    host: optionalText({ default: fileDefaults.server.host }),
    port: port({ default: fileDefaults.server.port }),
    body_limit: size(fileDefaults.server.body_limit),
    upload_limit: size(fileDefaults.server.upload_limit),
    shutdown_grace_ms: milliseconds(fileDefaults.server.shutdown_grace_ms, 0),
    header_prefixes: Type.Optional(
      Type.Array(
        text({
          pattern: '^[A-Za-z][A-Za-z0-9-]*[A-Za-z0-9]-$',
          explain: 'must be the beginning of a header name, with a hyphen at its end: x-acme-',
        }),
        { default: [...fileDefaults.server.header_prefixes] },
      ),
    ),
    stream_idle_timeout_ms: milliseconds(fileDefaults.server.stream_idle_timeout_ms, 1),
    metrics_port: port(),
    trusted_proxies: Type.Optional(
      Type.Array(text(), {
        description:
          'Addresses and networks of proxies in front of the gateway. The caller is the rightmost address of x-forwarded-for that is none of them. Default: none, and x-forwarded-for says nothing.',
      }),
    ),
    cors: Type.Optional(
      Type.Object(
        {
          origins: Type.Array(
            text({
              pattern: '^(?:\\*|[a-z][a-z0-9+.-]*://[^/?#@\\sA-Z]+)$',
              explain: 'must be an origin such as https://app.example in lower case without a path, or *',
            }),
            { minItems: 1, description: 'Exact origins, or * for every origin.' },
          ),
          max_age_seconds: Type.Optional(
            Type.Integer({
              minimum: 0,
              maximum: 86_400,
              default: fileDefaults.server.cors.max_age_seconds,
              description: 'How long a browser may keep the answer to a preflight.',
            }),
          ),
        },
        {
          ...closed,
          description:
            'Which pages of other origins may call inference routes. Credentials of the browser (cookies) are never allowed. Default: none, and no CORS headers.',
        },
      ),
    ),
    max_connections_per_address: Type.Optional(
      Type.Integer({
        minimum: 1,
        description:
          'Connections that one address may have open at each process; further ones are closed at once. Connections from server.trusted_proxies do not count. Default: any number.',
      }),
    ),
    max_buffered_bytes: Type.Optional(
      Type.Unsafe<string | number>({
        type: ['string', 'integer'],
        pattern: sizePattern,
        minimum: 1,
        explain: 'must be a size such as 512mb, or a number of bytes',
        description:
          'What one process may hold in memory at once of requests and answers. Default: a quarter of the smaller of its heap limit and the memory of its container. Beyond it, requests are answered with 503 overloaded.',
      }),
    ),
  },
  closed,
)

const provider = Type.Object(
  {
    provider: text(),
    ...credentialKeys,
    configurations: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
    ...limitKeys,
    models: Type.Optional(Type.Array(modelSchema)),
    pricing_adjustments: Type.Optional({
      ...pricingAdjustmentsSchema,
      description: 'Multipliers of the prices of its models; those of a model replace them whole.',
    } as typeof pricingAdjustmentsSchema),
  },
  closed,
)

const customProvider = Type.Object(
  {
    base_url: httpUrl,
    endpoints: Type.Array(oneOf(...compatibleEndpoints), { minItems: 1, uniqueItems: true }),
    title: optionalText(),
    docs: Type.Optional(httpUrl),
  },
  closed,
)

const apiKey = Type.Object(
  {
    name: text({ maxLength: 255 }),
    description: Type.Optional(Type.String({ maxLength: 1024 })),
    key_hash: text({
      pattern: '^sha256:[0-9a-f]{64}$',
      explain: 'must be sha256: and 64 hexadecimal digits, as `gateway keys hash` prints',
    }),
    scopes: Type.Array(text(), { minItems: 1 }),
    workspace: optionalText({ default: fileDefaults.workspace }),
    defaults: Type.Optional(defaultsReference),
    expires_at: optionalText({ pattern: timePattern, explain: 'must be an ISO 8601 time' }),
    ...limitKeys,
  },
  closed,
)

/** Of the text of a streamed answer that is held back for its checks, in characters. */
const windowChars = (fallback: number, minimum: number) =>
  Type.Optional(Type.Integer({ minimum, maximum: 1_000_000, default: fallback }))

const plugins = Type.Object(
  {
    packages: Type.Optional(Type.Array(text(), { uniqueItems: true })),
    disabled: Type.Optional(Type.Array(text(), { uniqueItems: true })),
    settings: Type.Optional(Type.Record(Type.String(), Type.Record(Type.String(), Type.Unknown()))),
    fail_closed: Type.Optional(Type.Boolean({ default: fileDefaults.plugins.fail_closed })),
    ...defaultGuardrails,
    stream_window_chars: windowChars(fileDefaults.plugins.stream_window_chars, 1),
    stream_overlap_chars: windowChars(fileDefaults.plugins.stream_overlap_chars, 0),
  },
  closed,
)

const cache = Type.Object(
  {
    max_entries: Type.Optional(Type.Integer({ minimum: 1, default: fileDefaults.cache.max_entries })),
    max_bytes: size(fileDefaults.cache.max_bytes),
    default_max_age: Type.Optional(Type.Integer({ minimum: 1, default: fileDefaults.cache.default_max_age })),
  },
  closed,
)

const logs = Type.Object(
  {
    bodies: Type.Optional(oneOf('full', 'metadata', 'none')),
    retention_days: days,
    metrics_retention_days: days,
    audit_retention_days: days,
    level: Type.Optional(oneOf('trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent')),
  },
  closed,
)

const section = <Value extends TSchema>(schema: Value, description: string) =>
  Type.Optional({ ...schema, description } as Value)

const fileShape = Type.Object(
  {
    // Editors read it; the gateway does not.
    $schema: Type.Optional(Type.String()),
    server: section(server, 'Where the gateway listens, and its bounds.'),
    store: section(
      Type.Object({ url: url('[a-z][a-z0-9+.-]*', 'a URL such as sqlite:data/gateway.db') }, closed),
      'Where objects that the API creates are kept.',
    ),
    upstream: section(
      Type.Object({ max_answer_bytes: size(fileDefaults.upstream.max_answer_bytes) }, closed),
      'Bounds of what providers answer. An answer that is passed on as it comes has none.',
    ),
    redis: section(
      Type.Object(
        {
          url: Type.Optional(url('[a-z][a-z0-9+.-]*', 'a URL such as redis://127.0.0.1:6379')),
          deadline_ms: milliseconds(fileDefaults.redis.deadline_ms, 1),
          fail_closed: Type.Optional(Type.Boolean({ default: fileDefaults.redis.fail_closed })),
        },
        closed,
      ),
      'State that several processes share. Absent: everything in process.',
    ),
    security: section(
      Type.Object({ trusted_hosts: Type.Optional(Type.Array(text())) }, closed),
      'Private addresses and ranges that custom hosts and webhooks may reach. Default: none.',
    ),
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
    prompts: section(bySlug(promptSchema), 'Prompt templates by slug.'),
    api_keys: section(Type.Array(apiKey), 'Keys that may call the gateway; `gateway keys create` makes one.'),
    plugins: section(
      plugins,
      'Packages beyond those of the plugins and providers folders, and their settings.',
    ),
    cache: section(cache, 'Bounds of the response cache; ages in seconds.'),
    logs: section(logs, 'What is kept of each request.'),
    telemetry: section(
      Type.Object({ otlp_endpoint: Type.Optional(httpUrl) }, closed),
      'Where traces are exported to.',
    ),
    public_url: section(httpUrl, 'The address that links are made with.'),
    email: section(
      Type.Object({ smtp_url: url('smtps?', 'an smtp or smtps URL'), from: text() }, closed),
      'How mail is sent.',
    ),
    files: section(
      Type.Object({ dir: optionalText(), max_bytes: size('512mb') }, closed),
      'Where uploaded files are kept.',
    ),
    batches: section(
      Type.Object(
        {
          concurrency: Type.Optional(Type.Integer({ minimum: 1, maximum: 1000, default: 25 })),
          poll_ms: Type.Optional(Type.Integer({ minimum: 1000, default: 60_000 })),
        },
        closed,
      ),
      'How managed batches run.',
    ),
    workspaces: section(bySlug(workspaceSchema), 'Workspaces by slug.'),
    policies: section(policiesSchema, 'Limits by condition.'),
    mcp_servers: section(bySlug(mcpServerSchema), 'MCP servers by slug.'),
    agent_servers: section(bySlug(agentServerSchema), 'Agent servers by slug.'),
  },
  closed,
)

/** The top-level keys. */
export const fileSections: ReadonlySet<string> = new Set(Object.keys(fileShape.properties))

/** The schema of one section, complete in itself. */
export function sectionSchema(name: string): TSchema {
  const properties: Record<string, TSchema> = fileShape.properties
  return Type.Unsafe({ ...properties[name], $defs: sharedDefinitions })
}

/** The file as it is written: what is left out is absent. */
export type DeclaredFile = Static<typeof fileShape>
export type DeclaredProvider = Static<typeof provider>
export type DeclaredCustomProvider = Static<typeof customProvider>
export type DeclaredApiKey = Static<typeof apiKey>
export type DeclaredGuardrail = Guardrail

/**
 * The JSON Schema of the whole file.
 * @param configSchema what `createConfigSchema` gives; its `$defs` move to the root, where its `$ref`s look for them
 */
export function createFileSchema(configSchema: TSchema): TSchema {
  const { $defs } = configSchema as { $defs?: Record<string, unknown> }
  return { ...fileShape, $defs: { ...$defs, ...sharedDefinitions } } as TSchema
}
