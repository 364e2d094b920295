/**
 * The contract of a service package: routes beside inference, such as management, and jobs.
 * A package with `"gateway": {"kind": "service", "contract": 1}` default-exports a {@link ServicePlugin}.
 */
import type { TSchema } from '@sinclair/typebox'
import type { EndpointId, ServiceEndpoint } from './endpoint.ts'
import type { ErrorCode, Fault, GatewayError } from './errors.ts'
import type { FormParts } from './form.ts'
import type { KeySets } from './guardrail.ts'
import type { Identity } from './identity.ts'
import type { Json, JsonObject } from './json.ts'
import type { ListedPricing } from './pricing.ts'
import type { ProviderIo, StreamEvent, UpstreamRequest } from './provider.ts'
import type { SecretManager } from './secret-manager.ts'
import type { CounterWindow, LogContents, LogEntry, LogFields, Ports, StoredDocument } from './store.ts'

export interface ServiceRequest {
  /** Null on a public route. */
  identity: Identity | null
  traceId: string
  method: string
  /** As it was called, without the query. */
  path: string
  /** Path parameters, decoded. */
  params: Readonly<Record<string, string>>
  query: Readonly<Record<string, string>>
  /** Lower-case names, scrubbed. */
  headers: Readonly<Record<string, string>>
  /** Of the gateway's own headers, without their prefix: `workspace-id`, `csrf`. */
  own: ReadonlyMap<string, string>
  /** Of those that `Route.cookies` names; every other cookie is a credential, which no service sees. */
  cookies: ReadonlyMap<string, string>
  /** The prefix that the gateway's own headers have in this request, for those of its answer. */
  prefix: string
  /** Validated against `Route.body`; null when there is none. */
  body: unknown
  /**
   * The body as it arrives, for a route with `streamsBody`; null for every other route. It can be read once. Whoever stops
   * reading may still answer. Errors while reading: `client_closed_request`.
   */
  bodyStream: AsyncIterable<Buffer> | null
  /** Fires when the caller leaves before the last byte of the answer. */
  signal: AbortSignal
  clientIp: string
  /** Runs a guardrail, written as in a config, and gives its hook result. Errors: what is wrong with it, at its paths. */
  runGuardrail(guardrail: JsonObject, subject: GuardrailSubject): Promise<JsonObject>
  /**
   * Runs an inference request in the place of this one: for its caller, with its headers, under its trace and request
   * ids. It ends when the caller leaves. Its log entry and its metrics are the only ones.
   */
  runInference(call: InferenceCall): Promise<InferenceAnswer>
  /**
   * Finds who calls, on a route that authenticates by itself. From then on the request has the settings of the caller's
   * workspace. Errors: 401 as on every other route; 404 for a workspace that is not the credential's.
   */
  authenticate(options?: AuthenticateOptions): Promise<Identity>
  /** The body, on such a route: read when it is asked for, once. Errors: 413 `body_too_large`, by `server.body_limit`. */
  readBody(): Promise<Buffer>
  /** `Authorization: Basic`, decoded: of clients that are known to a service alone. Null: none. */
  readonly basic: string | null
  /** A JWT that the request carries as its credential, or as a bearer token beside it; null: none. */
  readonly jwt: string | null
  /** Whether the request carries a credential of the gateway. */
  readonly hasKey: boolean
  /** What the caller of {@link authenticate} does, for the guardrails, the limits and the log of the data path. */
  readonly dataPath: DataPath
}

/** An inference request that a service runs inside the process, through the same stages as one that a client sends. */
export interface InferenceCall {
  /** Default: POST. */
  method?: Route['method']
  /** As a client would call it: `/v1/chat/completions`; with its query. */
  path: string
  /** Null: no body, or one that is not JSON. */
  body: JsonObject | null
  /** A body that is not JSON, such as a form. */
  raw?: { contentType: string; bytes: AsyncIterable<Uint8Array> }
  /** What its log entry and policies know of where it came from. */
  origin?: InferenceOrigin
}

export interface InferenceOrigin {
  batch_id?: string
  prompt?: InferencePrompt
}

/** The prompt whose text a request holds. */
export interface InferencePrompt {
  id: string
  slug: string
  version: number
  /** Which config routes it, and which stored provider is called, when nobody else says. Slugs; the config's may be its id. */
  config: string | null
  virtual_key: string | null
  variables: JsonObject
  /** What the call itself says of the body: it also wins over a prompt that a config runs in the place of this one. */
  given: JsonObject
  /** Names of missing variables, as a header says them; null when there is none. */
  missing: string | null
}

/** A prompt that a target of a config names. */
export interface PromptRequest {
  /** As `prompt_id` is written: id or slug, with or without a version. */
  reference: string
  identity: Identity
  endpoint: EndpointId
  variables: JsonObject
  /** Members of the body that win over those of the prompt. */
  given: JsonObject
}

export interface RenderedPrompt {
  prompt: InferencePrompt
  body: JsonObject
}

/** An inference request that belongs to no request of a client. */
export interface InferenceRequest extends InferenceCall {
  /**
   * Who calls, authenticated before: their rights, limits and workspace are looked up again. A JWT cannot be: it calls
   * as it did.
   */
  identity: Identity
  /** As a client would send them, the gateway's own with a prefix: `x-gateway-config`. No API key is needed. */
  headers: Readonly<Record<string, string>>
  clientIp: string
  /** Fires when nobody waits for the answer any more. */
  signal: AbortSignal
  /** Takes what would otherwise be counted and logged at once; absent: it is. */
  records?: InferenceRecords
  /** Answers in the place of the provider, whose batch has the request; what it costs is the price of batches. */
  provider?: BatchProvider
}

/** The provider of a request that is part of a batch of the provider's own. */
export interface BatchProvider {
  /**
   * Whether only what would be sent is asked for: nothing is counted, but a budget that is used up refuses. Else the
   * provider has answered, and limits count what was used without refusing it.
   */
  isTrial: boolean
  /** Gets the body in the provider's format; gives the provider's own answer. */
  answer(body: JsonObject): Promise<{ status: number; body: JsonObject }>
}

/** Takes the records of a request, so that they can be committed together with its answer. */
export interface InferenceRecords {
  /** In the place of the log; once, unless the request is not logged at all. */
  entry(entry: LogEntry): void
  /** In the place of the settlement of limits; before the answer. Several times where targets have limits, too. */
  charge(charge: InferenceCharge): void
}

/** What a request used of its limits. */
export interface InferenceCharge {
  /** Under which it was reserved: what it holds is given back by `Counters.settle(id, [])`. */
  id: string
  /** Milliseconds since the epoch. */
  at: number
  used: readonly { key: string; amount: number; window: CounterWindow | null }[]
}

/** What a client would have got, errors too. */
export interface InferenceAnswer {
  status: number
  headers: Readonly<Record<string, string>>
  /** The whole body; null for a stream. */
  text: string | null
  /** Read it to its end, or call its `return`: the request ends with it. It throws where a connection would break off. */
  stream: AsyncIterableIterator<Uint8Array> | null
}

export interface AuthenticateOptions {
  /** Whether the handler itself makes sure that a page of the gateway sent the request: a cookie then needs no csrf token. */
  checksCsrf?: boolean
  /** Whom an access token with the prefix `gwo_` stands for. Errors: `invalid_api_key`. */
  subjectOf?(token: string): Promise<TokenSubject>
  /** The workspace that the request names outside its headers, by id or slug. */
  workspace?: string | undefined
  /** The workspace to act in, by id, for a credential that is bound to none; null: the one that the request names. */
  workspaceOf?(identity: Identity): Promise<string | null>
}

/** In whose name a token was given: a person, or an API key that signed in. */
export interface TokenSubject {
  organisationId: string
  workspaceId: string
  userId: string | null
  keyId: string | null
}

/** A call of a tool, as policies and guardrails see it. */
export interface ToolCall {
  endpoint: ServiceEndpoint
  /** Slug. */
  server: string
  tool: string
  arguments: JsonObject
}

/** What a guardrail left of a body; `denied` has the results when it may not go on. */
export interface CheckedBody {
  body: JsonObject
  denied: JsonObject | null
}

/** What a service needs of the data path for one request. */
export interface DataPath {
  /** Metadata of the caller's key, its workspace and the request, merged. */
  metadata(): Readonly<Record<string, string>>
  /**
   * Takes from the policies for tools, all or none. Gives what settles it, with the size of the result.
   * Errors: 429 `rate_limit_exceeded`, 503 when nobody can count.
   */
  admitTool(call: ToolCall): Promise<(resultBytes: number) => Promise<void>>
  /** Runs the guardrails that no request can switch off on the arguments of a call, or on its result. */
  check(call: ToolCall, result: JsonObject | null): Promise<CheckedBody>
  /** Has the request logged as a call of a service; several for several calls. */
  record(call: ServiceCallRecord): void
}

/** Beside what every log entry has. */
export interface ServiceCallRecord {
  endpoint_type: ServiceEndpoint
  /** Columns of the log: `mcp_server`, `mcp_method`, `mcp_tool`. */
  fields: Readonly<Partial<Pick<LogFields, 'mcp_server' | 'mcp_method' | 'mcp_tool'>>>
  /** What was asked and answered, as far as guardrails left it: read when the request is over. */
  request?: Json
  response?: Json
}

/** What a guardrail is tried on. */
export interface GuardrailSubject {
  hook: 'beforeRequestHook' | 'afterRequestHook'
  request: JsonObject
  /** In the phase after only. */
  response: JsonObject | null
  metadata: Readonly<Record<string, string>>
}

/** `main` routes are served on both listeners, `admin` routes on the admin listener alone, where there is one. */
export type Listener = 'main' | 'admin'

export interface ServiceAnswer {
  status: number
  headers?: Readonly<Record<string, string>>
  /**
   * Text and streams are sent as they are, with the content type of `headers`; everything else as JSON. A stream is read
   * at the caller's pace. An error before its first bytes is answered as an error; one after them breaks the connection.
   */
  body: Json | { text: string } | { stream: AsyncIterable<Uint8Array> }
}

/**
 * A request of an endpoint that providers have and that a service answers in their place where the gateway keeps the
 * objects itself: files and batches.
 */
export interface EndpointRequest extends ServiceRequest {
  endpoint: EndpointId
  /** The JSON object that was sent, without `gateway_options`; empty where the endpoint takes none. */
  body: JsonObject
  /** The form that was sent, where the endpoint takes one; null for every other endpoint. */
  form: FormParts | null
  /** Whether the request names where it is to be routed: a config, a credential, a provider. */
  readonly namesTarget: boolean
  /** Takes `gateway_options` of a form: header names and their values; headers that were sent beat them. */
  addOptions(options: JsonObject): void
  /**
   * What the request can be routed to, in the order of its config; empty when nothing names a provider.
   * Errors: those of configs and credentials.
   */
  targets(): Promise<readonly EndpointTarget[]>
  /**
   * Asks the provider, which must be exactly one. Null as the answer of the handler stands for what the provider answered.
   * Errors: 400 `no_provider` when nothing, or more than one, is named. Faults of the provider are answers.
   */
  forward(body: JsonObject, form?: FormParts): Promise<ForwardedAnswer>
  /**
   * Headers with which the service can call later in the name of this caller, such as for the lines of a batch. They
   * hold credentials: keep them sealed.
   */
  laterHeaders(): Record<string, string>
}

export interface EndpointTarget {
  provider: string
  /** Of the stored credential; null for one that came with the request. */
  slug: string | null
  /** Whether its provider has an endpoint. */
  has(endpoint: EndpointId): boolean
}

export interface ForwardedAnswer {
  status: number
  /** Null for bytes, which only a null answer of the handler passes on. */
  body: JsonObject | null
}

/** Answers an endpoint; null: what {@link EndpointRequest.forward} brought. */
export type EndpointHandler = (request: EndpointRequest) => Promise<ServiceAnswer | null>

export interface Route {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** Below the root, with parameters: `/v1/things/:thingId`. */
  path: string
  /** Other paths of the same handler. */
  aliases?: readonly string[]
  /** Unique; `x-scope` and this stand in the OpenAPI document. */
  operationId: string
  summary: string
  tag: string
  /** What the credential needs; several: any of them; null: any valid key; `public`: no credential at all. */
  scope: string | readonly string[] | null | 'public'
  body?: TSchema
  query?: TSchema
  /** Of the answer with status 200. */
  answer?: TSchema
  /** Of answers with other statuses that have a shape of their own. */
  otherAnswers?: Readonly<Record<number, TSchema>>
  /** Content types where they are not JSON alone, for the OpenAPI document. */
  media?: { body?: readonly string[]; answer?: readonly string[]; error?: string }
  /**
   * Whether the handler itself finds out who calls, by `request.authenticate`: no credential and no body is looked at
   * before it.
   */
  authenticates?: boolean
  /** Whether the handler itself checks scopes: which one it takes depends on the request. The gateway then checks none. */
  checksScopes?: boolean
  /** Whether the handler itself checks query and body, in its own order. The gateway then only reads the body. */
  checksInput?: boolean
  /**
   * The largest body, in bytes: larger ones are refused before they are parsed. `server.body_limit` is that of inference.
   * Default: 64 KiB on a public route, else 1 MiB; never more than `server.body_limit`, but where a number is given.
   */
  bodyLimit?: number | 'server.body_limit'
  /** Whether no body, or an empty one, is the same as `{}`. */
  isBodyOptional?: boolean
  /**
   * Whether the handler reads the body itself, as `ServiceRequest.bodyStream`: it is neither parsed nor bounded before,
   * and `server.body_limit` does not apply. The handler bounds it.
   */
  streamsBody?: boolean
  /** Cookies of the route's own, by name. */
  cookies?: readonly string[]
  /**
   * Where it is served once `server.admin_listener` is set; `admin` is then unknown on the main listener. Default by its
   * scope: what applications call, and what is public, is on `main`, all else on `admin`.
   */
  listener?: Listener
  handle(request: ServiceRequest): Promise<ServiceAnswer>
  /** How errors are written where the clients of a standard expect a shape of its own. */
  renderError?(error: GatewayError): { contentType: string; body: JsonObject }
  /** Hears of a request that never reached `handle`: no credential (`identity` is null), no scope, no JSON. */
  refused?(request: ServiceRequest, error: GatewayError): Promise<void>
}

/** What is told of a route that is served. */
export type RouteDescription = Omit<Route, 'handle'>

/** Work that runs again and again, on one process of all at a time. */
export interface Job {
  name: string
  intervalMs: number
  /** @param nowMs milliseconds since the epoch */
  run(nowMs: number): Promise<void>
}

/** All that is told of a JWT that was refused. */
export interface RefusedToken {
  masked: string
  /** Whose rules refused it; null where it named no organisation that is known. */
  organisationId: string | null
}

/** A line that a usage limit has crossed, once a period. */
export interface LimitAlert {
  event: 'threshold' | 'exhausted'
  /** As errors name it: whose limit it is. */
  limit: string
  /** The group of a policy; null for a limit without groups. */
  valueKey: string | null
  type: 'requests' | 'tokens' | 'cost'
  creditLimit: number
  alertThreshold: number | null
  currentUsage: number
  organisationId: string
  workspaceId: string | null
}

/** Something that happened, for webhooks and mail; without secrets and without texts of callers. */
export interface GatewayEvent {
  /** Such as `batch.completed`. */
  type: string
  organisation_id: string
  /** Null for what belongs to the whole organisation. */
  workspace_id: string | null
  data: JsonObject
}

export interface Service {
  routes: readonly Route[]
  /** Endpoints that it answers in the place of their pipelines. */
  endpoints?: Partial<Record<EndpointId, EndpointHandler>>
  jobs?: readonly Job[]
  /** Hears of JWTs that were refused, on whatever route, but for a flood of them. */
  refusedToken?(request: ServiceRequest, error: GatewayError, token: RefusedToken): Promise<void>
  /** Hears that the config file was read again, and whether it was taken; in every process that reads it. */
  configRead?(isApplied: boolean): Promise<void>
  /** Hears of usage limits whose threshold was reached, or which are used up; behind the request that did it. */
  limitReached?(alert: LimitAlert): Promise<void>
  /** Renders a prompt that a target of a config names. Errors: `unknown_prompt`, `invalid_template`, `unsupported_endpoint`. */
  renderPrompt?(request: PromptRequest): Promise<RenderedPrompt>
  /** Hears of events that the core and other services emit. */
  emitted?(event: GatewayEvent): Promise<void>
  /** Ends what the service runs by itself; called when the gateway stops, before its stores are closed. */
  close?(): Promise<void>
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

/** What a provider's stored credential may hold. */
export interface ProviderSummary {
  name: string
  title: string
  /** Whether it needs a credential. */
  credential: 'required' | 'optional' | 'none'
  /** Of `configurations`; null when it takes none of its own. */
  configurations: TSchema | null
  /** Whether its wire format depends on the model that is called. */
  choosesByModel: boolean
  endpoints: readonly EndpointId[]
}

export interface CheckSummary {
  /** `plugin.check`. */
  id: string
  name: string
  description: string
  type: 'guardrail' | 'mutator'
  hooks: readonly ('beforeRequestHook' | 'afterRequestHook')[]
  parameters: JsonObject
  default_deny: boolean
  /** Of the plugin's settings. */
  credentials: JsonObject | null
  source: { plugin: string; version: string }
}

/** A plugin of guardrail checks. */
export interface PluginSummary {
  /** The first half of the ids of its checks. */
  name: string
  title: string
  version: string
  /** False where `plugins.disabled` of the config file names it: then nothing more is known of it. */
  isEnabled: boolean
  /** Of its settings; null when it has none. */
  settings: TSchema | null
  /** Its settings in the config file; null when they do not stand there. */
  declared: JsonObject | null
}

/** A model that a provider is known to have. */
export interface KnownModel {
  slug: string
  /** For people to read. */
  name: string | null
}

/** What came of trying a stored credential. */
export interface CredentialTrial {
  /** HTTP status of the provider; null when there was none. */
  status: number | null
  /** Null when it works. */
  error: string | null
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

/** A call that another program made. */
export interface LoggedCall {
  workspaceId: string
  /** A provider's name, or `@slug` of the workspace; null where that is not known. */
  provider: string | null
  endpoint: EndpointId
  request: Json
  response: Json
  /** When it was made. */
  atMs: number
}

/** What such a call used and cost. */
export interface PricedCall {
  ai_org: string | null
  provider: string | null
  provider_id: string | null
  ai_model: string | null
  requested_model: string | null
  req_units: number
  res_units: number
  reasoning_units: number
  cached_units: number
  /** US cents. */
  cents: number
  isKnown: boolean
}

/** The log, as far as the config file and the process rule it. */
export interface LogService {
  /** `logs` of the config file. */
  settings(): LogContents & { retentionDays: number; metricsRetentionDays: number }
  price(call: LoggedCall): Promise<PricedCall>
  /** Puts an entry on its way to the log, behind the request. */
  add(entry: LogEntry): void
  /** Hears of every entry that this process puts on its way; gives what ends it. */
  listen(listener: (entry: LogEntry) => void): () => void
}

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
  /** `email` of the config file; null where it is not set. */
  email(): { smtp_url: string; from: string } | null
  /** How long audit records are kept: `logs.audit_retention_days`. */
  auditRetentionDays(): number
  files(): FileSettings
  batches(): BatchSettings
  metrics: ServiceMetrics
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

/** What services tell of files and batches, for `/metrics`. */
export interface ServiceMetrics {
  batchLine(result: 'completed' | 'failed'): void
  /** How many batches are in which state. */
  batches(byStatus: Readonly<Record<string, number>>): void
  filesBytes(bytes: number): void
}

/** Where and how long files are kept: `files` of the config file. */
export interface FileSettings {
  store: 'disk' | 'database' | 's3'
  /** Of the store `disk`; absolute. */
  dir: string
  /** Of one file. */
  maxBytes: number
  /** Of all files of a workspace. */
  maxTotalBytes: number
  retentionDays: number
  s3: S3Settings | null
}

export interface S3Settings {
  endpoint?: string | undefined
  region: string
  bucket: string
  prefix?: string | undefined
  access_key_id?: string | undefined
  secret_access_key?: string | undefined
  force_path_style?: boolean | undefined
}

/** `batches` of the config file. */
export interface BatchSettings {
  concurrency: number
  totalConcurrency: number
  pollMs: number
}

export interface ServicePlugin {
  name: string
  title: string
  open(context: ServiceContext): Service | Promise<Service>
}
