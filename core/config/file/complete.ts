/** A valid config file with all defaults filled in: sizes in bytes, every section present. */
import type { compatibleEndpoints } from '@gateway/contract'
import type { Config } from '../schema.ts'
import { fileDefaults } from './defaults.ts'
import type {
  DeclaredApiKey,
  DeclaredCustomProvider,
  DeclaredFile,
  DeclaredGuardrail,
  DeclaredProvider,
} from './schema.ts'
import { parseSize } from './size.ts'
import { utcTime } from './time.ts'

type Section<Name extends keyof DeclaredFile> = NonNullable<DeclaredFile[Name]>
/** Without a prototype, so that a caller's `constructor` finds nothing. */
type BySlug<Value> = Readonly<Record<string, Value>>

interface FileApiKey extends DeclaredApiKey {
  workspace: string
}

interface FileCustomProvider extends DeclaredCustomProvider {
  endpoints: (typeof compatibleEndpoints)[number][]
}

interface FileSemanticCache {
  provider: string
  model: string
  dimensions?: number | undefined
  threshold: number
  agreement: 'strict' | 'off'
  max_entries: number
  timeout_ms: number
}

export interface ConfigFile {
  server: {
    host: string
    port: number
    /** Bytes. */
    body_limit: number
    /** Of one file, in bytes. */
    upload_limit: number
    /** Null: depends on the platform. */
    drain_delay_ms: number | null
    shutdown_grace_ms: number
    /** Lower case; the gateway's own prefix always comes first. */
    header_prefixes: string[]
    stream_idle_timeout_ms: number
    metrics_port?: number | undefined
    /** Null: no TLS. */
    tls: { cert: string; key: string } | null
    /** Null: everything is on the main listener. */
    admin_listener: { host: string; port: number } | null
    trusted_proxies: string[]
    /** Null: no CORS headers. */
    cors: { origins: string[]; maxAgeSeconds: number } | null
    /** Null: any number. */
    max_connections_per_address: number | null
    max_waiting_requests: number
    /** Bytes; null for the default of the machine. */
    max_buffered_bytes: number | null
  }
  /** Bytes. */
  upstream: { max_answer_bytes: number }
  store: Section<'store'> | null
  /** `fail_closed`: while the shared counters are unavailable, limited requests are refused. */
  redis: { url: string | null; deadline_ms: number; fail_closed: boolean }
  security: { trusted_hosts: string[] }
  providers: BySlug<DeclaredProvider>
  custom_providers: BySlug<FileCustomProvider>
  configs: BySlug<Config>
  guardrails: BySlug<DeclaredGuardrail>
  prompts: Section<'prompts'>
  prompt_partials: Section<'prompt_partials'>
  api_keys: FileApiKey[]
  plugins: {
    packages: string[]
    disabled: string[]
    settings: BySlug<Record<string, unknown>>
    fail_closed: boolean
    input_guardrails: unknown[]
    output_guardrails: unknown[]
    stream_window_chars: number
    stream_overlap_chars: number
  }
  /** Bytes and seconds. */
  cache: {
    max_entries: number
    max_bytes: number
    default_max_age: number
    semantic: FileSemanticCache | null
  }
  logs: Omit<Section<'logs'>, 'bodies' | 'max_body' | 'keep_original'> & {
    bodies: 'full' | 'metadata' | 'none'
    /** Bytes. */
    max_body: number
    keep_original: boolean
  }
  telemetry: Section<'telemetry'>
  public_url: string | null
  email: Section<'email'> | null
  /** Bytes and days. */
  files: Pick<Section<'files'>, 'store' | 'dir' | 's3'> & {
    max_bytes: number
    max_total_bytes: number
    retention_days: number
  }
  batches: { concurrency: number; total_concurrency: number; poll_ms: number }
  workspaces: Section<'workspaces'>
  policies: Section<'policies'>
  mcp_servers: Section<'mcp_servers'>
  agent_servers: Section<'agent_servers'>
}

const bare = <Value>(record: Record<string, Value> | undefined): Record<string, Value> =>
  Object.assign(Object.create(null), record)

/** Fills in what a file leaves out. The file must have passed its schema. */
export function completeFile(declared: DeclaredFile): ConfigFile {
  const { plugins } = declared
  return {
    server: completeServer(declared.server ?? {}),
    upstream: {
      max_answer_bytes: parseSize(
        declared.upstream?.max_answer_bytes ?? fileDefaults.upstream.max_answer_bytes,
      ),
    },
    store: declared.store ?? null,
    redis: {
      url: declared.redis?.url ?? null,
      deadline_ms: declared.redis?.deadline_ms ?? fileDefaults.redis.deadline_ms,
      fail_closed: declared.redis?.fail_closed ?? fileDefaults.redis.fail_closed,
    },
    security: { trusted_hosts: declared.security?.trusted_hosts ?? [] },
    providers: bare(declared.providers),
    custom_providers: bare(declared.custom_providers),
    configs: bare(declared.configs),
    guardrails: bare(declared.guardrails),
    prompts: bare(declared.prompts),
    prompt_partials: bare(declared.prompt_partials),
    api_keys: (declared.api_keys ?? []).map((key) => ({
      ...key,
      workspace: key.workspace ?? fileDefaults.workspace,
      ...(key.expires_at === undefined ? {} : { expires_at: utcTime(key.expires_at) ?? key.expires_at }),
    })),
    plugins: {
      packages: plugins?.packages ?? [],
      disabled: plugins?.disabled ?? [],
      settings: bare(plugins?.settings),
      input_guardrails: plugins?.input_guardrails ?? [],
      output_guardrails: plugins?.output_guardrails ?? [],
      fail_closed: plugins?.fail_closed ?? fileDefaults.plugins.fail_closed,
      stream_window_chars: plugins?.stream_window_chars ?? fileDefaults.plugins.stream_window_chars,
      stream_overlap_chars: plugins?.stream_overlap_chars ?? fileDefaults.plugins.stream_overlap_chars,
    },
    cache: {
      max_entries: declared.cache?.max_entries ?? fileDefaults.cache.max_entries,
      max_bytes: parseSize(declared.cache?.max_bytes ?? fileDefaults.cache.max_bytes),
      default_max_age: declared.cache?.default_max_age ?? fileDefaults.cache.default_max_age,
      semantic:
        declared.cache?.semantic === undefined
          ? null
          : { ...fileDefaults.cache.semantic, ...declared.cache.semantic },
    },
    logs: {
      ...fileDefaults.logs,
      ...declared.logs,
      max_body: parseSize(declared.logs?.max_body ?? fileDefaults.logs.max_body),
    },
    telemetry: declared.telemetry ?? {},
    public_url: declared.public_url ?? null,
    email: declared.email ?? null,
    files: completeFiles(declared.files ?? {}),
    batches: { ...fileDefaults.batches, ...declared.batches },
    workspaces: bare(declared.workspaces),
    policies: declared.policies ?? {},
    mcp_servers: bare(declared.mcp_servers),
    agent_servers: bare(declared.agent_servers),
  }
}

function completeFiles(files: Section<'files'>): ConfigFile['files'] {
  const defaults = fileDefaults.files
  return {
    ...files,
    max_bytes: parseSize(files.max_bytes ?? defaults.max_bytes),
    max_total_bytes: parseSize(files.max_total_bytes ?? defaults.max_total_bytes),
    retention_days: files.retention_days ?? defaults.retention_days,
  }
}

function completeServer(server: Section<'server'>): ConfigFile['server'] {
  const defaults = fileDefaults.server
  const prefixes = [...defaults.header_prefixes, ...(server.header_prefixes ?? [])]
  return {
    host: server.host ?? defaults.host,
    port: server.port ?? defaults.port,
    body_limit: parseSize(server.body_limit ?? defaults.body_limit),
    upload_limit: parseSize(server.upload_limit ?? defaults.upload_limit),
    drain_delay_ms: server.drain_delay_ms ?? null,
    shutdown_grace_ms: server.shutdown_grace_ms ?? defaults.shutdown_grace_ms,
    header_prefixes: [...new Set(prefixes.map((prefix) => prefix.toLowerCase()))],
    stream_idle_timeout_ms: server.stream_idle_timeout_ms ?? defaults.stream_idle_timeout_ms,
    tls: server.tls ?? null,
    admin_listener:
      server.admin_listener === undefined
        ? null
        : { host: server.admin_listener.host ?? defaults.host, port: server.admin_listener.port },
    trusted_proxies: server.trusted_proxies ?? [],
    cors: completeCors(server.cors),
    max_connections_per_address: server.max_connections_per_address ?? null,
    max_waiting_requests: server.max_waiting_requests ?? defaults.max_waiting_requests,
    max_buffered_bytes: server.max_buffered_bytes === undefined ? null : parseSize(server.max_buffered_bytes),
    ...(server.metrics_port === undefined ? {} : { metrics_port: server.metrics_port }),
  }
}

function completeCors(cors: Section<'server'>['cors']): ConfigFile['server']['cors'] {
  if (cors === undefined) return null
  return {
    origins: cors.origins,
    maxAgeSeconds: cors.max_age_seconds ?? fileDefaults.server.cors.max_age_seconds,
  }
}
