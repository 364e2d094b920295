/** The sections of the config file that hold settings, each setting declared once (`setting.ts`). */
import { type TUnsafe, Type } from '@sinclair/typebox'
import { closed, defaultGuardrails, oneOf, text } from './schema-limits.ts'
import { setting } from './setting.ts'
import { sizePattern } from './size.ts'

/** In bytes once the file is read. */
export interface Size extends TUnsafe<string | number> {
  readonly unit: 'bytes'
}

const sizeSuchAs = (example: string) =>
  Type.Unsafe<string | number>({
    type: ['string', 'integer'],
    pattern: sizePattern,
    minimum: 1,
    explain: `must be a size such as ${example}, or a number of bytes`,
    unit: 'bytes',
  }) as Size
const size = sizeSuchAs('25mb')
const port = Type.Integer({ minimum: 0, maximum: 65_535 })
const portMeaning = 'The port to listen on; 0: any free port.'
const listenPort = Type.Integer({ minimum: 0, maximum: 65_535, description: portMeaning })
const days = Type.Integer({ minimum: 1, maximum: 3650 })
const atLeast = (minimum: number, maximum?: number) =>
  Type.Integer({ minimum, ...(maximum === undefined ? {} : { maximum }) })
const milliseconds = (minimum: number, maximum = 86_400_000) => Type.Integer({ minimum, maximum })
const share = Type.Number({ minimum: 0, maximum: 1 })
const url = (schemes: string, what: string, more: object = {}) =>
  text({ pattern: `^${schemes}:`, explain: `must be ${what}`, ...more })
export const httpUrl = url('https?', 'an http or https URL')
const storeUrl = (example: string, more: object = {}) =>
  url('[a-z][a-z0-9+.-]*', `a URL such as ${example}`, more)

const listenHost = (restart: { restart?: 'change' }) =>
  setting(text(), 'The address to listen on.', { default: '127.0.0.1', ...restart })
const tls = Type.Object(
  {
    cert: text({ description: 'A file with the certificate and its chain, in PEM.' }),
    key: text({ description: 'A file with the private key of the certificate, in PEM, not encrypted.' }),
  },
  closed,
)

const adminListener = Type.Object({ host: listenHost({}), port: listenPort }, closed)

const cors = Type.Object(
  {
    origins: Type.Array(
      text({
        pattern: '^(?:\\*|[a-z][a-z0-9+.-]*://[^/?#@\\sA-Z]+)$',
        explain: 'must be an origin such as https://app.example in lower case without a path, or *',
      }),
      { minItems: 1, description: 'Exact origins, or * for any origin.' },
    ),
    max_age_seconds: setting(atLeast(0, 86_400), 'How long browsers may cache preflight answers.', {
      default: 600,
    }),
  },
  closed,
)

/** Accepted with every config file, in addition to the listed prefixes. */
export const ownHeaderPrefix = 'x-gateway-'

const headerPrefix = text({
  pattern: '^[A-Za-z][A-Za-z0-9-]*[A-Za-z0-9]-$',
  explain: 'must be a header name prefix that ends with a hyphen, such as x-acme-',
})

export const server = Type.Object(
  {
    host: listenHost({ restart: 'change' }),
    port: setting(port, portMeaning, { default: 8787, restart: 'change' }),
    body_limit: setting(size, 'The largest request body, such as 25mb, or a number of bytes.', {
      default: '25mb',
    }),
    upload_limit: setting(size, 'The largest file in a form.', { default: '25mb' }),
    drain_delay_ms: setting(
      milliseconds(0, 600_000),
      'How long a gateway still accepts connections after SIGTERM, in milliseconds, while /readyz returns 503. It gives load balancers time to stop sending requests. Default: 5000 under Kubernetes, otherwise 0.',
    ),
    shutdown_grace_ms: setting(
      milliseconds(0),
      'How long a stopping gateway waits for requests in flight, in milliseconds.',
      { default: 30_000 },
    ),
    header_prefixes: setting(
      Type.Array(headerPrefix),
      'Prefixes of the gateway’s own headers. Answers use the prefix that the request used.',
      { default: [ownHeaderPrefix] },
    ),
    stream_idle_timeout_ms: setting(
      milliseconds(1),
      'How long a stream may be silent before it is ended, in milliseconds.',
      { default: 60_000 },
    ),
    metrics_port: setting(
      port,
      'A separate port for /metrics. Default: the main listener, or the admin listener.',
      { restart: 'change' },
    ),
    tls: setting(
      tls,
      'Serves TLS on every listener. Paths are relative to the config file. Both files are reloaded when they change; a mismatched pair is ignored. Default: no TLS.',
      { restart: 'switch' },
    ),
    admin_listener: setting(
      adminListener,
      'A separate listener for management, /docs, /console and /metrics, which the main listener then answers with 404. It also serves everything else. Default: none; everything is on the main listener.',
      { restart: 'change' },
    ),
    trusted_proxies: setting(
      Type.Array(text()),
      'Addresses and networks of proxies in front of the gateway. The client is the rightmost address in x-forwarded-for that is not one of them. Default: none; x-forwarded-for is ignored.',
      { default: [] },
    ),
    cors: setting(
      cors,
      'Origins whose pages may call inference routes. Browser credentials (cookies) are never allowed. Default: none, without CORS headers.',
    ),
    max_connections_per_address: setting(
      atLeast(1),
      'The maximum number of open connections per address and process; further ones are closed immediately. Connections from server.trusted_proxies do not count. Default: any number.',
    ),
    max_waiting_requests: setting(
      atLeast(0, 1_000_000),
      'The maximum number of requests that wait in the queue of one process; half of the places are for one key. Further requests are answered with 429.',
      { default: 1000 },
    ),
    max_buffered_bytes: setting(
      sizeSuchAs('512mb'),
      'The memory for buffered requests and answers of one process. Default: a quarter of the smaller of its heap limit and the memory of its container. Beyond it, requests are answered with 503 overloaded.',
    ),
  },
  { ...closed, description: 'Where the gateway listens, and its limits.' },
)

export const store = Type.Object(
  {
    url: storeUrl('sqlite:data/gateway.db', {
      description: 'Where everything is stored: `sqlite`, or a Postgres URL.',
      restart: 'change',
    }),
  },
  { ...closed, description: 'Where objects created over the API are stored.' },
)

export const upstream = Type.Object(
  {
    max_answer_bytes: setting(size, 'The largest provider answer to buffer in memory.', { default: '64mb' }),
  },
  { ...closed, description: 'Limits of provider answers. Streamed answers are unlimited.' },
)

export const redis = Type.Object(
  {
    url: setting(
      storeUrl('redis://127.0.0.1:6379'),
      'The URL of Redis, for counters, cache and circuit breakers of several replicas.',
      { restart: 'change' },
    ),
    deadline_ms: setting(
      milliseconds(1),
      'How long the cache and circuit breakers wait for Redis, in milliseconds.',
      { default: 50, restart: 'change' },
    ),
    fail_closed: setting(
      Type.Boolean(),
      'Whether limited requests are refused while Redis does not answer.',
      { default: false, restart: 'change' },
    ),
  },
  {
    ...closed,
    description: 'State shared between processes. Without this section, each process keeps its own.',
  },
)

export const security = Type.Object(
  {
    trusted_hosts: setting(
      Type.Array(text()),
      'Private addresses, ranges and hosts that the gateway may call. Default: none.',
      { default: [] },
    ),
  },
  {
    ...closed,
    description: 'Private addresses and ranges that custom hosts and webhooks may reach. Default: none.',
  },
)

const names = Type.Array(text(), { uniqueItems: true })

export const plugins = Type.Object(
  {
    packages: setting(names, 'Packages to load, by name or by a path relative to this file.', {
      default: [],
    }),
    disabled: setting(
      names,
      'Names of packages, plugins or providers that are not loaded. `gateway check` and the start warn about names that no installed package has.',
      { default: [] },
    ),
    settings: setting(
      Type.Record(Type.String(), Type.Record(Type.String(), Type.Unknown())),
      'Settings and credentials of plugins, by name.',
      { default: {} },
    ),
    fail_closed: setting(
      Type.Boolean(),
      'Whether a check that cannot run counts as failed. Default: it counts as passed.',
      { default: false },
    ),
    input_guardrails: setting(defaultGuardrails.input_guardrails, 'Guardrails that run on requests.', {
      default: [],
    }),
    output_guardrails: setting(defaultGuardrails.output_guardrails, 'Guardrails that run on answers.', {
      default: [],
    }),
    stream_window_chars: setting(
      atLeast(1, 1_000_000),
      'The window of a streamed answer that is held back for checks, in characters.',
      { default: 200 },
    ),
    stream_overlap_chars: setting(
      atLeast(0, 1_000_000),
      'The overlap of two windows of a stream, in characters.',
      { default: 200 },
    ),
  },
  {
    ...closed,
    description: 'Packages beyond those of the plugins and providers folders, and their settings.',
  },
)

const semanticCache = Type.Object(
  {
    provider: Type.String({
      minLength: 1,
      description: 'Slug of a provider in this file that makes the embeddings.',
    }),
    model: Type.String({ minLength: 1, description: 'The embedding model.' }),
    dimensions: setting(atLeast(1, 16_000), 'The dimensions of an embedding. Default: those of the model.'),
    threshold: setting(
      Type.Number({ exclusiveMinimum: 0, maximum: 1 }),
      'The minimum cosine similarity of a hit.',
      { default: 0.95 },
    ),
    agreement: setting(
      oneOf('strict', 'off'),
      'Whether a hit must also agree with the question in numbers, units, negations, quotations, names, opposites and the order of words.',
      { default: 'strict' },
    ),
    max_entries: setting(atLeast(1, 1_000_000), 'The maximum number of entries; the oldest are removed.', {
      default: 100_000,
    }),
    timeout_ms: setting(milliseconds(1, 600_000), 'How long to wait, in milliseconds.', { default: 2000 }),
  },
  closed,
)

export const cache = Type.Object(
  {
    max_entries: setting(atLeast(1), 'The maximum number of entries; the oldest are removed.', {
      default: 10_000,
      restart: 'change',
    }),
    max_bytes: setting(size, 'The largest size, in bytes.', { default: '256mb', restart: 'change' }),
    default_max_age: setting(
      atLeast(1),
      'How long an answer is cached, in seconds, if the config sets no time.',
      { default: 86_400 },
    ),
    semantic: setting(semanticCache, 'Embeddings for configs with cache.mode semantic.'),
  },
  { ...closed, description: 'Limits of the response cache; ages in seconds.' },
)

export const logs = Type.Object(
  {
    url: setting(
      storeUrl('postgres://gateway@127.0.0.1/logs'),
      'A separate store for logs, as GATEWAY_LOGS_URL: another Postgres database, SQLite file or ClickHouse.',
      { restart: 'change' },
    ),
    bodies: setting(
      oneOf('full', 'metadata', 'none'),
      'full: bodies of requests and answers are logged. metadata: no bodies. none: no bodies, no headers, and of the metadata only _user.',
      { default: 'full' },
    ),
    max_body: setting(
      size,
      'The maximum size of one body: longer ones are truncated and marked with body_truncated.',
      { default: '256kb' },
    ),
    keep_original: setting(
      Type.Boolean(),
      'Whether to log the original request when a mutator changed it, including redacted text.',
      { default: false },
    ),
    retention_days: setting(days, 'How long entries are kept.', { default: 30 }),
    metrics_retention_days: setting(days, 'How long hourly aggregates are kept for analytics.', {
      default: 365,
    }),
    audit_retention_days: setting(days, 'How long audit entries are kept, in days.', { default: 365 }),
    level: setting(
      oneOf('trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'),
      'The minimum level of log lines. GATEWAY_LOG_LEVEL wins. Default: info.',
    ),
  },
  { ...closed, description: 'What is logged of each request.' },
)

export const telemetry = Type.Object(
  {
    otlp_endpoint: setting(
      httpUrl,
      'The collector; /v1/traces and /v1/metrics are added. Absent: the standard OTEL_EXPORTER_OTLP_* variables apply; without them nothing is exported.',
    ),
    headers: setting(
      Type.Record(Type.String({ minLength: 1, maxLength: 100 }), Type.String({ maxLength: 4096 })),
      'Sent with every export, such as the key of a vendor.',
    ),
    service_name: setting(
      text({ maxLength: 255 }),
      'The resource attribute service.name. Default: OTEL_SERVICE_NAME, otherwise gateway.',
    ),
    traces: setting(Type.Boolean(), 'Export of traces.', { default: true }),
    metrics: setting(Type.Boolean(), 'Export of metrics.', { default: true }),
    sample_ratio: setting(
      share,
      'The sampling ratio of requests without a sampling decision in traceparent.',
      {
        default: 1,
      },
    ),
    capture_content: setting(Type.Boolean(), 'Whether spans contain prompts and answers.', {
      default: false,
    }),
    export_interval_ms: setting(
      milliseconds(100, 3_600_000),
      'Time between exports. Default: 5000 for traces, 60000 for metrics.',
    ),
  },
  { ...closed, description: 'OpenTelemetry traces and metrics, exported over OTLP/HTTP.' },
)

export const email = Type.Object(
  {
    smtp_url: url('smtps?', 'an smtp or smtps URL', {
      description: 'The SMTP server, such as smtps://user:password@host.',
    }),
    from: text({ description: 'The address that mail is sent from.' }),
  },
  { ...closed, description: 'How mail is sent.' },
)

const s3 = Type.Object(
  {
    endpoint: setting(httpUrl, 'The URL of the storage service.'),
    region: text({ description: 'The region of the bucket.' }),
    bucket: text({ description: 'The name of the bucket.' }),
    prefix: setting(text(), 'A prefix of all object names.'),
    access_key_id: setting(text(), 'The id of the access key.'),
    secret_access_key: setting(text(), 'The secret of the access key.'),
    force_path_style: setting(
      Type.Boolean(),
      'Whether the bucket is in the path of URLs instead of the host name.',
      { default: false },
    ),
  },
  closed,
)

export const files = Type.Object(
  {
    store: setting(
      oneOf('disk', 'database', 's3'),
      'Default: database with Postgres, because replicas share no disk; otherwise disk.',
    ),
    dir: setting(text(), 'The directory of the store disk. Default: files, in the data directory.'),
    max_bytes: setting(size, 'The largest size, in bytes.', { default: '512mb' }),
    max_total_bytes: setting(size, 'The largest size of all files together, in bytes.', { default: '10gb' }),
    retention_days: setting(days, 'How long outputs of batches, and inputs of completed batches, are kept.', {
      default: 30,
    }),
    s3: setting(s3, 'A bucket of S3 or an S3-compatible service.'),
  },
  { ...closed, description: 'Where uploaded files and the outputs of batches are stored.' },
)

export const batches = Type.Object(
  {
    concurrency: setting(
      atLeast(1, 1000),
      'The maximum number of lines of one batch that run concurrently.',
      { default: 25 },
    ),
    total_concurrency: setting(
      atLeast(1, 10_000),
      'The maximum number of lines of all batches that run concurrently in one process.',
      {
        default: 100,
      },
    ),
    poll_ms: setting(milliseconds(1000), 'How often batches at providers are checked, in milliseconds.', {
      default: 60_000,
    }),
  },
  { ...closed, description: 'How managed batches run.' },
)
