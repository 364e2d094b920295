/** A valid config file with all defaults filled in: sizes in bytes, every section present. */
import type { compatibleEndpoints } from '@gateway/contract'
import type { Config } from './routing-config.ts'
import {
  type DeclaredApiKey,
  type DeclaredCustomProvider,
  type DeclaredFile,
  type DeclaredGuardrail,
  type DeclaredProvider,
  defaultWorkspace,
  fileShape,
} from './schema.ts'
import { type Completed, completed, restartSettings } from './setting.ts'
import * as settings from './settings.ts'
import { utcTime } from './time.ts'

type Section<Name extends keyof DeclaredFile> = NonNullable<DeclaredFile[Name]>
/** The object has no prototype, so a caller's `constructor` finds nothing. */
type BySlug<Value> = Readonly<Record<string, Value>>

interface FileApiKey extends DeclaredApiKey {
  workspace: string
}

interface FileCustomProvider extends DeclaredCustomProvider {
  endpoints: (typeof compatibleEndpoints)[number][]
}

/** Settings that have no value are null. */
export interface ConfigFile {
  /** `header_prefixes`: lower case; the gateway's own prefix comes first. */
  server: Completed<typeof settings.server>
  upstream: Completed<typeof settings.upstream>
  store: Completed<typeof settings.store> | null
  redis: Completed<typeof settings.redis>
  security: Completed<typeof settings.security>
  providers: BySlug<DeclaredProvider>
  custom_providers: BySlug<FileCustomProvider>
  configs: BySlug<Config>
  guardrails: BySlug<DeclaredGuardrail>
  prompts: Section<'prompts'>
  prompt_partials: Section<'prompt_partials'>
  api_keys: FileApiKey[]
  plugins: Completed<typeof settings.plugins>
  cache: Completed<typeof settings.cache>
  logs: Completed<typeof settings.logs>
  telemetry: Completed<typeof settings.telemetry>
  public_url: string | null
  email: Completed<typeof settings.email> | null
  files: Completed<typeof settings.files>
  batches: Completed<typeof settings.batches>
  workspaces: Section<'workspaces'>
  policies: Section<'policies'>
  mcp_servers: Section<'mcp_servers'>
  agent_servers: Section<'agent_servers'>
}

/** The section `server` of an empty file. */
export const serverDefaults = completed(settings.server, {})

const bare = <Value>(record: Record<string, Value> | undefined): Record<string, Value> =>
  Object.assign(Object.create(null), record)

/** Fills in the defaults of omitted settings. The file must have passed its schema. */
export function completeFile(declared: DeclaredFile): ConfigFile {
  const server = completed(settings.server, declared.server)
  const plugins = completed(settings.plugins, declared.plugins)
  return {
    server: { ...server, header_prefixes: withOwnPrefix(server.header_prefixes) },
    upstream: completed(settings.upstream, declared.upstream),
    store: declared.store ?? null,
    redis: completed(settings.redis, declared.redis),
    security: completed(settings.security, declared.security),
    providers: bare(declared.providers),
    custom_providers: bare(declared.custom_providers),
    configs: bare(declared.configs),
    guardrails: bare(declared.guardrails),
    prompts: bare(declared.prompts),
    prompt_partials: bare(declared.prompt_partials),
    api_keys: (declared.api_keys ?? []).map((key) => ({
      ...key,
      workspace: key.workspace ?? defaultWorkspace,
      ...(key.expires_at === undefined ? {} : { expires_at: utcTime(key.expires_at) ?? key.expires_at }),
    })),
    plugins: { ...plugins, settings: bare(plugins.settings) },
    cache: completed(settings.cache, declared.cache),
    logs: completed(settings.logs, declared.logs),
    telemetry: completed(settings.telemetry, declared.telemetry),
    public_url: declared.public_url ?? null,
    email: declared.email ?? null,
    files: completed(settings.files, declared.files),
    batches: completed(settings.batches, declared.batches),
    workspaces: bare(declared.workspaces),
    policies: declared.policies ?? {},
    mcp_servers: bare(declared.mcp_servers),
    agent_servers: bare(declared.agent_servers),
  }
}

/** The settings whose changes need a restart, by their path. */
export const settingsAtStart = (file: ConfigFile): Readonly<Record<string, unknown>> =>
  restartSettings(fileShape, file)

const withOwnPrefix = (prefixes: readonly string[]): string[] => [
  ...new Set([settings.ownHeaderPrefix, ...prefixes].map((prefix) => prefix.toLowerCase())),
]
