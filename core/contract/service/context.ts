/**
 * The capabilities that the gateway can provide to a service. A service package lists those that it needs, and gets an object
 * with only these.
 */
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
import type { InferenceAnswer, InferenceRequest, PromptRequest, RenderedPrompt } from './inference.ts'
import type { LogService } from './log-service.ts'
import type { InferencePlan, InferencePlanning } from './plan.ts'
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

/** The context of a service or of one of its functions, with the capabilities named: `ServiceContext<'documents' | 'now'>`. */
export type ServiceContext<Name extends Capability> = Pick<Capabilities, Name>

/** The name of a capability. */
export type Capability = keyof Capabilities

/** All capabilities that a service may request. Stored state comes first. */
export interface Capabilities extends Omit<Ports, 'log'> {
  /** Stored entries of the request log. */
  logEntries: Ports['log']
  sealer: Sealer
  /** The config file's objects, as documents with `data.source` = `file`; they are not in the store. */
  fileDocuments(): readonly StoredDocument[]
  /** The location of the config file, for messages. */
  filePath: string
  providers(): readonly ProviderSummary[]
  checks(): readonly CheckSummary[]
  /** The plugins that provide the checks, by name. */
  plugins(): readonly PluginSummary[]
  secretManagers(): ReadonlyMap<string, SecretManager>
  /**
   * Authenticates an API key, including the operator's and the config file's, for a caller at this address. Errors:
   * `invalid_api_key`, `expired_api_key`, `forbidden` (`allowed_ips`), `store_unavailable`.
   */
  identify(apiKey: string, address: string): Promise<Identity>
  /**
   * Whether an organisation's `allowed_ips` include an address. The gateway checks this before every authenticated
   * route; a public route checks it once the organisation is known. Errors: `store_unavailable`.
   */
  isAddressAllowed(organisationId: string, address: string): Promise<boolean>
  /** Whether an entry of `allowed_ips` is an address or a network. */
  isAddressRange(entry: string): boolean
  /** The prefix of new gateway keys: `API_KEY_PREFIX`. */
  keyPrefix: string
  /** The base URL for links, without a trailing slash. */
  publicUrl(): string
  /** Whether clients connect over TLS, the gateway's own or that of `public_url`: cookies are then `Secure`. */
  isBehindTls(): boolean
  /** Validates a routing config before it is saved in a workspace: its schema and its references. */
  checkConfig(config: JsonObject, workspaceId: string): Promise<readonly Fault[]>
  /**
   * Finds unknown checks and invalid parameters of a guardrail; paths as in its body (`/checks/0/id`). The workspace's plugin
   * settings apply.
   */
  checkGuardrail(guardrail: JsonObject, workspaceId: string): Promise<readonly Fault[]>
  /** Checks a stored credential against the provider's requirements; paths below `/configurations` and `/key`. */
  checkCredential(
    provider: string,
    credential: { key?: string; configurations: JsonObject; mapped: readonly string[] },
  ): readonly Fault[]
  /** The known models of an integration's provider: from its own model list, if any, and from the price list. */
  modelsOf(integration: Omit<StoredDocument, 'version'>): Promise<readonly KnownModel[]>
  /** The price of a provider's model from the price list, in US cents; null when it is not listed. */
  priceOf(provider: string, model: string): Promise<ListedPricing | null>
  /** The batch line format of a provider, by name; null: the compatible format. */
  batchLinesOf(provider: string): BatchLines | null
  /** Makes one cheap call with the credential of an integration, stored or not. */
  tryCredential(integration: Omit<StoredDocument, 'version'>, model: string | null): Promise<CredentialTrial>
  /** The reason why a URL may not be called, judged by its text alone; null if it may be called. */
  checkUrl(url: string): string | null
  /** Makes an HTTP call through the host guard. Errors: `host_not_allowed`, `dependency_unavailable`. */
  fetch: ProviderIo['fetch']
  /**
   * One call over the pooled connections, through the host guard, with a streamed answer. Redirects are not followed.
   * Errors: `host_not_allowed`, `upstream_unreachable`, `upstream_invalid_response`; the signal's reason.
   */
  send(request: UpstreamRequest, signal: AbortSignal): Promise<UpstreamStream>
  /** The secret values of mappings, by target field. Errors: `dependency_unavailable`, `upstream_error`. */
  mappedSecrets(
    mappings: readonly SecretMappingRef[],
    workspaceId: string | null,
  ): Promise<ReadonlyMap<string, string | JsonObject>>
  /** Secrets of an object of the config file, by kind and id; null if it has none. */
  fileSecrets(kind: string, id: string): JsonObject | null
  /** Public keys of token issuers, cached for the whole process. */
  keySets: KeySets
  /** Whether a URL's host is listed in `security.trusted_hosts` by its address. */
  isTrusted: ProviderIo['isTrusted']
  /** The targets with a circuit breaker that the workspace has used; null: any workspace of the organisation. */
  targetHealth(organisationId: string, workspaceId: string | null): readonly TargetHealth[]
  /** Runs an inference request as if its caller had sent it; errors are returned as its answer. */
  runInference(request: InferenceRequest): Promise<InferenceAnswer>
  /**
   * What would happen to such a request. Nothing is called, counted, cached or logged. Errors: those of the caller's
   * identity; `invalid_body` at `/endpoint` for a path that is not an inference route.
   */
  planInference(request: InferencePlanning): Promise<InferencePlan>
  /** Renders a prompt, by the service that has prompts. Errors: those of `Service.renderPrompt`; `unknown_prompt` without one. */
  renderPrompt(request: PromptRequest): Promise<RenderedPrompt>
  /** The embedding model of `cache.semantic`; null if it is not set. */
  embeddingModel(): { provider: string; model: string; dimensions: number | null } | null
  /** Whether `server.cors` allows an origin. */
  allowsOrigin(origin: string): boolean
  /** Compiles a schema once; returns a function that lists all errors of a value, each path prefixed with `prefix`. */
  validator(schema: TSchema, code: ErrorCode, prefix?: string): (value: unknown) => readonly Fault[]
  logs: LogService
  /** The largest body of an inference request: `server.body_limit`. */
  bodyLimitBytes(): number
  /** Emits an event to webhooks and mail. Resolves once the event is stored. Errors: `store_unavailable`. */
  emit(event: GatewayEvent): Promise<void>
  /** Counts deliveries of webhooks for `/metrics`. */
  countDeliveries(outcome: 'succeeded' | 'failed' | 'retried' | 'dropped', count?: number): void
  /** Counts attempts to send mail for `/metrics`. */
  countMail(outcome: 'sent' | 'failed' | 'retried'): void
  /** `email` of the config file; null if it is not set. */
  email(): { smtp_url: string; from: string } | null
  /** How long audit records are kept: `logs.audit_retention_days`. */
  auditRetentionDays(): number
  files(): FileSettings
  batches(): BatchSettings
  metrics: ServiceMetrics
  /** `telemetry` of the config file and the standard environment variables; null when no collector is configured. */
  telemetry(): TelemetrySettings | null
  /** All routes of the core and of every service, for the OpenAPI document. */
  routes(): readonly RouteDescription[]
  log: {
    info(record: object, message: string): void
    warn(record: object, message: string): void
    error(record: object, message: string): void
  }
  /** Fires when the gateway begins to stop. Background work must then take no new tasks, and endless answers must end. */
  stopping: AbortSignal
  /**
   * Registers work that a stopping gateway waits for, up to its grace period. Call the returned function when it is
   * done.
   */
  beginWork(): () => void
  /** Milliseconds since the epoch. */
  now(): number
}

/** Seals secrets for the store: AES-256-GCM with a separate key per text, wrapped by the master key. */
export interface Sealer {
  /** @param record the record that the text belongs to, as `KIND/ID`; it cannot be opened for any other record */
  seal(plaintext: string, record: string): string
  /** Errors: `internal_error` when it was sealed with another master key or for another record, or is damaged. */
  open(sealed: string, record: string): string
  /** Whether a text is sealed, with any master key. */
  isSealed(text: string): boolean
}

/** The streamed answer of a call. */
export interface UpstreamStream {
  status: number
  /** Lower-case names. */
  headers: Readonly<Record<string, string>>
  /** Read it to its end or cancel it; leaving a `for await` loop cancels it. */
  body: AsyncIterableIterator<Buffer>
  /** The body as server-sent events, instead of `body`. */
  events(): AsyncIterableIterator<StreamEvent>
  /** Discards the rest; the connection is reused when that is cheap. */
  dump(): void
}

/** A mapping of a credential's field to a secret reference. */
export interface SecretMappingRef {
  target_field: string
  secret_reference_id: string
  secret_key: string | null
  value_format: 'string' | 'json'
}

/** Metrics of files and batches, for `/metrics`. */
export interface ServiceMetrics {
  batchLine(result: 'completed' | 'failed'): void
  /** The number of batches by state. */
  batches(byStatus: Readonly<Record<string, number>>): void
  filesBytes(bytes: number): void
  /** Inference requests in flight, including those sent by services. */
  inferenceInFlight(): number
  /** Spans or metric exports that no collector accepted. */
  telemetryDropped(count: number): void
}
