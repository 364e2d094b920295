/** What the gateway lends to a service when it opens. */
import type { TSchema } from '@sinclair/typebox'
import type { ErrorCode, Fault } from '../errors.ts'
import type { KeySets } from '../guardrail.ts'
import type { Identity } from '../identity.ts'
import type { JsonObject } from '../json.ts'
import type { TelemetrySettings } from '../observer.ts'
import type { ListedPricing } from '../pricing.ts'
import type { BatchLines, ProviderIo, StreamEvent, UpstreamRequest } from '../provider.ts'
import type { SecretManager } from '../secret-manager.ts'
import type { Ports, StoredDocument } from '../store.ts'
import type { GatewayEvent } from './events.ts'
import type { InferenceAnswer, InferenceRequest } from './inference.ts'
import type { LogService } from './log-service.ts'
import type { RouteDescription } from './route.ts'
import type { TargetHealth } from './routing.ts'
import type { BatchSettings, FileSettings } from './settings.ts'
import type {
  CheckSummary,
  CredentialTrial,
  KnownModel,
  PluginSummary,
  ProviderSummary,
} from './summaries.ts'

/** What the gateway lends to its services. */
export interface ServiceContext {
  ports: Ports
  sealer: Sealer
  /** What the config file declares, as documents with `data.source` = `file`; they are in no store. */
  fileDocuments(): readonly StoredDocument[]
  /** Where the config file is, for messages. */
  filePath: string
  providers(): readonly ProviderSummary[]
  checks(): readonly CheckSummary[]
  /** The plugins that bring the checks, by name. */
  plugins(): readonly PluginSummary[]
  secretManagers: ReadonlyMap<string, SecretManager>
  /**
   * Whose API key this is, the operator's and the config file's too, for a caller at this address. Errors:
   * `invalid_api_key`, `expired_api_key`, `forbidden` (`allowed_ips`), `store_unavailable`.
   */
  identify(apiKey: string, address: string): Promise<Identity>
  /**
   * Whether an organisation's `allowed_ips` hold an address. The gateway asks before every route that needs a credential
   * of its own; a public route asks once it knows the organisation. Errors: `store_unavailable`.
   */
  isAddressAllowed(organisationId: string, address: string): Promise<boolean>
  /** Whether an entry of `allowed_ips` is an address or a network. */
  isAddressRange(entry: string): boolean
  /** What the texts of new gateway keys begin with: `API_KEY_PREFIX`. */
  keyPrefix: string
  /** For links; without a slash at its end. */
  publicUrl(): string
  /** Whether callers come by TLS, the gateway's own or that of `public_url`: then cookies are `Secure`. */
  isBehindTls(): boolean
  /** Faults of a routing config that is to be saved in a workspace: its schema, and what it refers to. */
  checkConfig(config: JsonObject, workspaceId: string): Promise<readonly Fault[]>
  /**
   * Faults of a guardrail's checks: unknown ones, and parameters; paths as in its body (`/checks/0/id`). The workspace is
   * one that has it: what is set for plugins there counts.
   */
  checkGuardrail(guardrail: JsonObject, workspaceId: string): Promise<readonly Fault[]>
  /** Faults of a stored credential: what its provider requires and refuses; paths below `/configurations` and `/key`. */
  checkCredential(
    provider: string,
    credential: { key?: string; configurations: JsonObject; mapped: readonly string[] },
  ): readonly Fault[]
  /** The models that an integration's provider is known to have: its own list, where it tells one, and the price list's. */
  modelsOf(integration: Omit<StoredDocument, 'version'>): Promise<readonly KnownModel[]>
  /** What the price list says of a model of a provider, in US cents; null when it does not have it. */
  priceOf(provider: string, model: string): Promise<ListedPricing | null>
  /** How a provider, by its name, writes the lines of its batches; null: in the compatible format. */
  batchLinesOf(provider: string): BatchLines | null
  /** One cheap call with the credential of an integration, stored or not. */
  tryCredential(integration: Omit<StoredDocument, 'version'>, model: string | null): Promise<CredentialTrial>
  /** Why a URL may not be called, as far as its text tells; null when nothing speaks against it. */
  checkUrl(url: string): string | null
  /** Calls out through the host guard. Errors: `host_not_allowed`, `dependency_unavailable`. */
  fetch: ProviderIo['fetch']
  /**
   * One call over the pooled connections, through the host guard; its answer is read while it comes. Redirects are not
   * followed. Errors: `host_not_allowed`, `upstream_unreachable`, `upstream_invalid_response`; the signal's reason.
   */
  send(request: UpstreamRequest, signal: AbortSignal): Promise<UpstreamStream>
  /** What the secrets are that mappings stand for, by target field. Errors: `dependency_unavailable`, `upstream_error`. */
  mappedSecrets(
    mappings: readonly SecretMappingRef[],
    workspaceId: string | null,
  ): Promise<ReadonlyMap<string, string | JsonObject>>
  /** Secrets of what the config file declares, by kind and id; null where it has none. */
  fileSecrets(kind: string, id: string): JsonObject | null
  /** Public keys of token issuers, kept for the whole process. */
  keySets: KeySets
  /** Whether a URL's host is listed in `security.trusted_hosts` by its address. */
  isTrusted: ProviderIo['isTrusted']
  /** The targets that have a circuit breaker and that somebody of the workspace used; null: of any workspace of the organisation. */
  targetHealth(organisationId: string, workspaceId: string | null): readonly TargetHealth[]
  /** Runs an inference request as if its caller had sent it; what goes wrong with it is its answer. */
  runInference(request: InferenceRequest): Promise<InferenceAnswer>
  /** Whether `server.cors` lets pages of an origin call. */
  allowsOrigin(origin: string): boolean
  /** Compiles a schema once; what it gives lists every fault of a value, `prefix` before each path. */
  validator(schema: TSchema, code: ErrorCode, prefix?: string): (value: unknown) => readonly Fault[]
  logs: LogService
  /** The largest body of an inference request: `server.body_limit`. */
  bodyLimitBytes(): number
  /** Hands an event to webhooks and mail. It resolves once the event is stored. Errors: `store_unavailable`. */
  emit(event: GatewayEvent): Promise<void>
  /** Counts deliveries of webhooks for `/metrics`. */
  countDeliveries(outcome: 'succeeded' | 'failed' | 'retried' | 'dropped', count?: number): void
  /** Counts attempts to send mail for `/metrics`. */
  countMail(outcome: 'sent' | 'failed' | 'retried'): void
  /** `email` of the config file; null where it is not set. */
  email(): { smtp_url: string; from: string } | null
  /** How long audit records are kept: `logs.audit_retention_days`. */
  auditRetentionDays(): number
  files(): FileSettings
  batches(): BatchSettings
  metrics: ServiceMetrics
  /** `telemetry` of the config file and the standard environment variables; null where neither names a collector. */
  telemetry(): TelemetrySettings | null
  /** Every route that is served, of every service and of the core, for the OpenAPI document. */
  routes(): readonly RouteDescription[]
  log: {
    info(record: object, message: string): void
    warn(record: object, message: string): void
    error(record: object, message: string): void
  }
  /** Fires when the gateway begins to stop: what runs by itself takes no new work, endless answers end. */
  stopping: AbortSignal
  /** Counts work that a stopping gateway waits for, up to its grace time, until the function given back is called. */
  beginWork(): () => void
  /** Milliseconds since the epoch. */
  now(): number
}

/** Seals secrets for the store: AES-256-GCM with a key of its own for each text, wrapped by the master key. */
export interface Sealer {
  /** @param record what the text belongs to, as `KIND/ID`: as part of anything else it cannot be opened */
  seal(plaintext: string, record: string): string
  /** Errors: `internal_error` when it was sealed with another master key or for another record, or is damaged. */
  open(sealed: string, record: string): string
  /** Whether a text is sealed, with whatever master key. */
  isSealed(text: string): boolean
}

/** The answer of a call that is read while it comes. */
export interface UpstreamStream {
  status: number
  /** Lower-case names. */
  headers: Readonly<Record<string, string>>
  /** Read it to its end or end it; leaving a `for await` ends it. */
  body: AsyncIterableIterator<Buffer>
  /** The body as server-sent events, in place of `body`. */
  events(): AsyncIterableIterator<StreamEvent>
  /** Lets go of the rest; the connection is kept where that is cheap. */
  dump(): void
}

/** A mapping of a credential's field to a secret reference. */
export interface SecretMappingRef {
  target_field: string
  secret_reference_id: string
  secret_key: string | null
  value_format: 'string' | 'json'
}

/** What services tell of files and batches, for `/metrics`. */
export interface ServiceMetrics {
  batchLine(result: 'completed' | 'failed'): void
  /** How many batches are in which state. */
  batches(byStatus: Readonly<Record<string, number>>): void
  filesBytes(bytes: number): void
  /** Spans or metric exports that no collector took. */
  telemetryDropped(count: number): void
}
