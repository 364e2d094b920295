/**
 * The config file as one JSON Schema, for validation and for completion in editors. Keys are those of the contract
 * (section 1) and of the management contract (section 23).
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
  promptPartialSchema,
  promptSchema,
  sharedDefinitions,
  text,
  workspaceSchema,
} from './schema-limits.ts'
import { serverSchema } from './schema-server.ts'
import { days, httpUrl, milliseconds, size, url } from './schema-values.ts'
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

const semanticCache = Type.Object(
  {
    provider: Type.String({
      minLength: 1,
      description: 'Slug of a provider in this file that makes the embeddings.',
    }),
    model: Type.String({ minLength: 1 }),
    dimensions: Type.Optional(Type.Integer({ minimum: 1, maximum: 16_000 })),
    threshold: Type.Optional(
      Type.Number({
        exclusiveMinimum: 0,
        maximum: 1,
        default: fileDefaults.cache.semantic.threshold,
        description: 'The minimum cosine similarity of a hit.',
      }),
    ),
    agreement: Type.Optional(
      Type.Unsafe<'strict' | 'off'>({
        enum: ['strict', 'off'],
        default: fileDefaults.cache.semantic.agreement,
        description:
          'Whether a hit must also agree with the question in numbers, units, negations, quotations, names, opposites and the order of words.',
      }),
    ),
    max_entries: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 1_000_000, default: fileDefaults.cache.semantic.max_entries }),
    ),
    timeout_ms: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 600_000, default: fileDefaults.cache.semantic.timeout_ms }),
    ),
  },
  { ...closed, description: 'Embeddings for configs with cache.mode semantic.' },
)

const cache = Type.Object(
  {
    max_entries: Type.Optional(Type.Integer({ minimum: 1, default: fileDefaults.cache.max_entries })),
    max_bytes: size(fileDefaults.cache.max_bytes),
    default_max_age: Type.Optional(Type.Integer({ minimum: 1, default: fileDefaults.cache.default_max_age })),
    semantic: Type.Optional(semanticCache),
  },
  closed,
)

const telemetry = Type.Object(
  {
    otlp_endpoint: Type.Optional(
      Type.String({
        ...httpUrl,
        description:
          'The collector; /v1/traces and /v1/metrics are added. Absent: the standard OTEL_EXPORTER_OTLP_* variables apply; without them nothing is exported.',
      }),
    ),
    headers: Type.Optional(
      Type.Record(Type.String({ minLength: 1, maxLength: 100 }), Type.String({ maxLength: 4096 }), {
        description: 'Sent with every export, such as the key of a vendor.',
      }),
    ),
    service_name: optionalText({
      maxLength: 255,
      description: `The resource attribute service.name. Default: OTEL_SERVICE_NAME, else ${fileDefaults.telemetry.service_name}.`,
    }),
    traces: Type.Optional(Type.Boolean({ default: true })),
    metrics: Type.Optional(Type.Boolean({ default: true })),
    sample_ratio: Type.Optional(
      Type.Number({
        minimum: 0,
        maximum: 1,
        default: fileDefaults.telemetry.sample_ratio,
        description: 'The sampling ratio of requests without a sampling decision in traceparent.',
      }),
    ),
    capture_content: Type.Optional(
      Type.Boolean({
        default: fileDefaults.telemetry.capture_content,
        description: 'Whether spans contain prompts and answers.',
      }),
    ),
    export_interval_ms: Type.Optional(
      Type.Integer({
        minimum: 100,
        maximum: 3_600_000,
        description: `Time between exports. Default: ${fileDefaults.telemetry.traces_interval_ms} for traces, ${fileDefaults.telemetry.metrics_interval_ms} for metrics.`,
      }),
    ),
  },
  closed,
)

const described = <Value extends TSchema>(schema: Value, description: string): Value => ({
  ...schema,
  description,
})

const logs = Type.Object(
  {
    url: Type.Optional(
      described(
        url('[a-z][a-z0-9+.-]*', 'a URL such as postgres://gateway@127.0.0.1/logs'),
        'A separate store for logs, as GATEWAY_LOGS_URL: another Postgres database, SQLite file or ClickHouse.',
      ),
    ),
    bodies: Type.Optional(
      described(
        oneOf('full', 'metadata', 'none'),
        'full (default): bodies of requests and answers are logged. metadata: no bodies. none: no bodies, no headers, and of the metadata only _user.',
      ),
    ),
    max_body: described(
      size(fileDefaults.logs.max_body),
      'The maximum size of one body: longer ones are truncated and marked with body_truncated.',
    ),
    keep_original: Type.Optional(
      Type.Boolean({
        default: fileDefaults.logs.keep_original,
        description:
          'Whether to log the original request when a mutator changed it, including redacted text.',
      }),
    ),
    retention_days: described(days, 'How long entries are kept. Default: 30.'),
    metrics_retention_days: described(
      days,
      'How long hourly aggregates are kept for analytics. Default: 365.',
    ),
    audit_retention_days: days,
    level: Type.Optional(oneOf('trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent')),
  },
  closed,
)

const s3 = Type.Object(
  {
    endpoint: Type.Optional(httpUrl),
    region: text(),
    bucket: text(),
    prefix: optionalText(),
    access_key_id: optionalText(),
    secret_access_key: optionalText(),
    force_path_style: Type.Optional(Type.Boolean({ default: false })),
  },
  { ...closed, description: 'A bucket of S3 or an S3-compatible service.' },
)

const files = Type.Object(
  {
    store: Type.Optional(
      Type.Unsafe<'disk' | 'database' | 's3'>({
        enum: ['disk', 'database', 's3'],
        description: 'Default: database with Postgres, where replicas share no disk; else disk.',
      }),
    ),
    dir: optionalText({
      description: 'The directory of the store disk. Default: files, in the data directory.',
    }),
    max_bytes: size(fileDefaults.files.max_bytes),
    max_total_bytes: size(fileDefaults.files.max_total_bytes),
    retention_days: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 3650,
        default: fileDefaults.files.retention_days,
        description: 'How long outputs of batches, and inputs of completed batches, are kept.',
      }),
    ),
    s3: Type.Optional(s3),
  },
  closed,
)

const section = <Value extends TSchema>(schema: Value, description: string) =>
  Type.Optional({ ...schema, description } as Value)

const fileShape = Type.Object(
  {
    // For editors; the gateway ignores it.
    $schema: Type.Optional(Type.String()),
    server: section(serverSchema, 'Where the gateway listens, and its limits.'),
    store: section(
      Type.Object({ url: url('[a-z][a-z0-9+.-]*', 'a URL such as sqlite:data/gateway.db') }, closed),
      'Where objects created over the API are stored.',
    ),
    upstream: section(
      Type.Object({ max_answer_bytes: size(fileDefaults.upstream.max_answer_bytes) }, closed),
      'Limits of provider answers. Streamed answers are unlimited.',
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
      'State shared between processes. Without this section, each process keeps its own.',
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
    prompts: section(bySlug(promptSchema), 'Prompt templates by slug. Each has one version.'),
    prompt_partials: section(bySlug(promptPartialSchema), 'Texts that prompt templates include, by slug.'),
    api_keys: section(
      Type.Array(apiKey),
      'Keys that may call the gateway; create them with `gateway keys create`.',
    ),
    plugins: section(
      plugins,
      'Packages beyond those of the plugins and providers folders, and their settings.',
    ),
    cache: section(cache, 'Limits of the response cache; ages in seconds.'),
    logs: section(logs, 'What is logged of each request.'),
    telemetry: section(telemetry, 'OpenTelemetry traces and metrics, exported over OTLP/HTTP.'),
    public_url: section(httpUrl, 'The base URL of links.'),
    email: section(
      Type.Object({ smtp_url: url('smtps?', 'an smtp or smtps URL'), from: text() }, closed),
      'How mail is sent.',
    ),
    files: section(files, 'Where uploaded files and the outputs of batches are stored.'),
    batches: section(
      Type.Object(
        {
          concurrency: Type.Optional(
            Type.Integer({
              minimum: 1,
              maximum: 1000,
              default: fileDefaults.batches.concurrency,
              description: 'Lines of one batch that run at once.',
            }),
          ),
          total_concurrency: Type.Optional(
            Type.Integer({
              minimum: 1,
              maximum: 10_000,
              default: fileDefaults.batches.total_concurrency,
              description: 'Lines of all batches that run at once in one process.',
            }),
          ),
          poll_ms: milliseconds(fileDefaults.batches.poll_ms, 1000),
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
 * @param configSchema what `createConfigSchema` gives; its `$defs` move to the root, where its `$ref`s look for them
 */
export function createFileSchema(configSchema: TSchema): TSchema {
  const { $defs } = configSchema as { $defs?: Record<string, unknown> }
  return { ...fileShape, $defs: { ...$defs, ...sharedDefinitions } } as TSchema
}
