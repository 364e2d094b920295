/**
 * The contract of a guardrail package. A package with `"gateway": {"kind": "guardrail", "contract": 1}`
 * default-exports a {@link GuardrailPlugin}; its checks are addressed as `plugin.check`.
 */
import type { TSchema } from '@sinclair/typebox'
import type { EndpointId } from './endpoint.ts'
import type { JsonObject } from './json.ts'
import type { ProviderFetch, ProviderFetchAnswer } from './provider.ts'

export type Phase = 'before' | 'after'

/** A piece of text in a body, with its role. */
export interface TextPart {
  /**
   * `system`, `user`, `assistant`, `tool`, …; `prompt`, `input`, `query`, `document` outside chats. Tool definitions in
   * a request have the role `tool_definition`; checks that change texts leave them unchanged unless configured
   * otherwise.
   */
  role: string
  text: string
  /** Its location, as a JSON pointer into the body: `/messages/0/content`. */
  path: string
}

/** The input of a check. Text is extracted once, on first access. */
export interface CheckInput {
  phase: Phase
  endpoint: EndpointId
  /** Name of the provider; null before one is selected. */
  provider: string | null
  metadata: Readonly<Record<string, string>>
  /** The inbound headers after scrubbing, without credentials. */
  headers: Readonly<Record<string, string>>
  request: {
    json: JsonObject
    /** The request's texts, joined with newlines; also in the after phase. */
    readonly text: string
  }
  /** The answer; null in the before phase. `json` is null while a streamed answer is still arriving. */
  response: { json: JsonObject | null; status: number } | null
  /** The texts that the phase checks: those of the request in the before phase, of the answer in the after phase. */
  readonly parts: readonly TextPart[]
  /** All parts, joined with newlines. */
  readonly text: string
  /**
   * For a conversation in a request, the parts of its last message only (none when it has only images); otherwise all
   * parts except tool definitions.
   */
  readonly lastParts: readonly TextPart[]
  /** The same, joined with newlines. */
  readonly lastText: string
}

/** A mutator's result: new texts by path, or a whole new body. Other parts stay unchanged. */
export type Transformation = { texts: ReadonlyMap<string, string> } | { json: JsonObject }

export interface Verdict {
  /** Whether the check passed. */
  verdict: boolean
  /** Findings and their locations; never the denied text. */
  data?: unknown
  /** The changes that a mutator makes. */
  transformed?: Transformation | undefined
}

/**
 * The context that a check may use in addition to its input. Its members are getters: destructuring works, spreading
 * does not.
 */
export interface CheckIo {
  signal: AbortSignal
  /** Milliseconds since the epoch. */
  now(): number
  /** `plugins.settings.PLUGIN` of the config file. */
  settings: Readonly<JsonObject>
  /**
   * An HTTP call through the host guard; JSON in, JSON out. An answer of any status is returned, also 4xx and 5xx: look at
   * `status` before `json`. Rejects when the service cannot be reached, when a size or time limit is exceeded, and when the
   * signal fires. After five failures in a row it rejects immediately (`circuit_open`) for 30 s.
   */
  fetchJson(request: OutboundRequest): Promise<OutboundAnswer>
  /** The same with bytes in and out, for forms and images. */
  fetch(request: CheckFetch): Promise<ProviderFetchAnswer>
  /**
   * Whether a host name resolves to addresses that the gateway may all connect to. Uses the gateway's resolver, never a
   * third party's. Rejects (`dependency_unavailable`) when it does not answer.
   */
  resolves(hostname: string): Promise<boolean>
  /**
   * The unmodified inbound header named by the parameter of {@link Check.headerParameter}; null when it is absent, when
   * the check declares no such parameter, for cookies and the gateway's own headers, and when it contains the gateway
   * key.
   */
  readonly header: string | null
  /**
   * A chat completion by a model of this gateway, without hooks and cache: `provider` is `@slug` of a stored
   * credential. Rejects when the answer is an error.
   */
  chatComplete(provider: string, body: JsonObject): Promise<JsonObject>
  /** Public keys of token issuers, through the host guard; the gateway's own authentication shares them. */
  readonly keySets: KeySets
  /** State that a plugin's checks share across both phases of a request, such as texts to restore. */
  shared: Map<string, unknown>
}

/** JSON Web Key Sets (RFC 7517) by URL, cached for the whole process; concurrent requests for one URL share a fetch. */
export interface KeySets {
  /** The keys, no older than `maxAgeMs`, or up to a day old while their source fails. Rejects if no such keys are available. */
  get(url: string, maxAgeMs: number): Promise<readonly JsonObject[]>
  /**
   * Refetches the keys for a token whose key is unknown; null if they were already refetched in the last 30 s. Rejects when they
   * cannot be fetched.
   */
  renew(url: string): Promise<readonly JsonObject[] | null>
}

export interface CheckFetch extends ProviderFetch {
  /**
   * Whether the URL comes from an untrusted text. Its host is then not the check's service, and its failures do not count against
   * the check's services.
   */
  isForeign?: boolean
}

export interface OutboundRequest {
  method: 'GET' | 'POST' | 'PUT'
  url: string
  headers?: Readonly<Record<string, string>>
  json?: unknown
  /** Default: the check's time limit. */
  timeoutMs?: number | undefined
  /** Default 1 MiB. */
  maxBytes?: number | undefined
}

export interface OutboundAnswer {
  status: number
  headers: Readonly<Record<string, string>>
  /** The parsed body; null when it is empty or not JSON. */
  json: unknown
}

/** A check with validated, prepared parameters: patterns compiled, lists turned into sets. */
export interface PreparedCheck {
  /** Returns the verdict. An exception is an error of the check, never a verdict. */
  run(input: CheckInput, io: CheckIo): Verdict | Promise<Verdict>
  /**
   * Whether the check can run on windows of a streamed answer: true for "must not occur", false (the default) when it
   * needs the whole text.
   */
  windowed?: boolean
  /**
   * The maximum number of UTF-16 units that a windowed check must see at once, such as the length of the longest forbidden word.
   * Windows overlap by at least that. Absent, null or above 16,384: unbounded, so a stream that the check may deny is held back
   * to its end.
   */
  longestMatch?: number | null
  /**
   * Whether a verdict may include `transformed`. Such a guardrail, for example one that redacts, holds a streamed
   * answer back to its end; without this flag, changes to an answer that is already streaming are lost. Mutators need
   * not set it.
   */
  transforms?: boolean
  /**
   * The reason for the failure in the denial message, as the end of a sentence: `it contains an API key`. It must not contain the
   * finding itself, because callers and logs see it. `explanation` in the data of a verdict has precedence.
   */
  explanation?: string
}

/** `Settings` is the type that the plugin's `settings` schema validates; without a schema it is `{}`. */
export interface Check<Parameters = never, Settings = Readonly<JsonObject>> {
  /** The check's name without that of its plugin: `regexMatch`. */
  id: string
  title: string
  description: string
  kind: 'guardrail' | 'mutator'
  phases: readonly Phase[]
  /** Whether a hook with this check denies when the hook does not set `deny`; default false. */
  deny?: boolean
  /** JSON Schema (TypeBox) of the parameters: an object that refuses unknown keys. */
  parameters: TSchema
  /**
   * The parameter that names the one inbound header that the check may read although it is a credential, such as the
   * caller's token. Without it a check sees no credentials.
   */
  headerParameter?: string
  /**
   * Called once per config with validated parameters and defaults filled in. Throws Error for rules that a schema
   * cannot express, and when a credential is in neither the parameters nor the settings: the config is then refused.
   */
  prepare(parameters: Parameters, settings: Settings): PreparedCheck
}

export interface GuardrailPlugin {
  /** The first half of a check id: `default`. */
  name: string
  title: string
  checks: readonly Check[]
  /**
   * TypeBox schema of `plugins.settings.NAME` in the config file: an object that refuses unknown keys. A property
   * whose name says secret, token, key or password is kept out of every log, answer and error.
   */
  settings?: TSchema
  /** Present when the settings can make the gateway authenticate with the cloud identity of its process. */
  ownIdentity?: PluginIdentity
}

/**
 * The counterpart of a provider's {@link OwnIdentity}. Plugin settings could name any host, so such calls go only to the vendor's
 * own hosts and to `security.trusted_hosts`.
 */
export interface PluginIdentity {
  /**
   * The addresses of authenticated calls with these settings, each with its path in them; empty when the identity is not used.
   */
  addresses(settings: Readonly<JsonObject>): readonly { param: string; url: string }[]
  /** Host names of the vendor's API, matched whole and in lower case; they are called over HTTPS on its usual port. */
  hosts: RegExp
}
