/**
 * The contract of a guardrail package. A package with `"gateway": {"kind": "guardrail", "contract": 1}`
 * default-exports a {@link GuardrailPlugin}; its checks are addressed as `plugin.check`.
 */
import type { TSchema } from '@sinclair/typebox'
import type { EndpointId } from './endpoint.ts'
import type { JsonObject } from './json.ts'
import type { ProviderFetch, ProviderFetchAnswer } from './provider.ts'

export type Phase = 'before' | 'after'

/** A piece of text in a body: whose it is and what it says. */
export interface TextPart {
  /**
   * `system`, `user`, `assistant`, `tool`, …; `prompt`, `input`, `query`, `document` outside chats. What a request
   * says of its tools is `tool_definition`: to be read; a check that changes texts leaves it unless it was told otherwise.
   */
  role: string
  text: string
  /** Where it stands, as a JSON pointer into the body: `/messages/0/content`. */
  path: string
}

/** What a check looks at. Text is gathered once, when first asked for. */
export interface CheckInput {
  phase: Phase
  endpoint: EndpointId
  /** Name of the provider; null before one was chosen. */
  provider: string | null
  metadata: Readonly<Record<string, string>>
  /** The inbound headers after scrubbing, without credentials. */
  headers: Readonly<Record<string, string>>
  request: {
    json: JsonObject
    /** Its texts, joined with newlines; in the after phase, too. */
    readonly text: string
  }
  /** Null in the before phase. `json` is null while a streamed answer is still arriving. */
  response: { json: JsonObject | null; status: number } | null
  /** The texts of the phase's subject: the request before, the answer after. */
  readonly parts: readonly TextPart[]
  /** All parts, joined with newlines. */
  readonly text: string
  /**
   * Of a conversation in a request, the parts of its last message alone (none when that holds only images); of
   * everything else all parts, but those of tool definitions.
   */
  readonly lastParts: readonly TextPart[]
  /** The same, joined with newlines. */
  readonly lastText: string
}

/** A mutator's result: new texts by path, or a whole new body. The other parts stay as they were. */
export type Transformation = { texts: ReadonlyMap<string, string> } | { json: JsonObject }

export interface Verdict {
  /** True: passed. */
  verdict: boolean
  /** What was found and where; never the text that was denied. */
  data?: unknown
  /** For mutators. */
  transformed?: Transformation | undefined
}

/** What a check may use besides its input; it may be taken apart, but not copied with a spread: its members are getters. */
export interface CheckIo {
  signal: AbortSignal
  /** Milliseconds since the epoch. */
  now(): number
  /** `plugins.settings.PLUGIN` of the config file. */
  settings: Readonly<JsonObject>
  /**
   * An HTTP call through the host guard; JSON in, JSON out. An answer of any status is returned, also 4xx and 5xx: look at
   * `status` before `json`. Rejects when the service cannot be reached or breaks a bound, when the signal fires, and at once
   * (`circuit_open`) while the service is known to be down: after five failures in a row, for 30 s.
   */
  fetchJson(request: OutboundRequest): Promise<OutboundAnswer>
  /** The same with bytes in and out: forms, images. */
  fetch(request: CheckFetch): Promise<ProviderFetchAnswer>
  /**
   * Whether a host name has addresses, all of which the gateway may connect to. Asks the gateway's own resolver, never
   * a third party's. Rejects (`dependency_unavailable`) when that does not answer.
   */
  resolves(hostname: string): Promise<boolean>
  /**
   * The inbound header that the parameter of {@link Check.headerParameter} names, as it came; null when it is absent,
   * when the check declares no such parameter, for cookies and the gateway's own headers, and when it holds the
   * gateway key.
   */
  readonly header: string | null
  /**
   * A chat completion by a model of this gateway, without hooks and cache: `provider` is `@slug` of a stored
   * credential. Rejects when the answer is an error.
   */
  chatComplete(provider: string, body: JsonObject): Promise<JsonObject>
  /** Public keys of token issuers, through the host guard; the gateway's own authentication shares them. */
  readonly keySets: KeySets
  /** What the checks of one plugin share over both phases of a request, such as texts to be restored. */
  shared: Map<string, unknown>
}

/** JSON Web Key Sets (RFC 7517) by their URL, kept for the whole process. The same list is the same fetch. */
export interface KeySets {
  /**
   * The keys, no older than `maxAgeMs`; while their source fails, those of the last day. Rejects when there are none.
   */
  get(url: string, maxAgeMs: number): Promise<readonly JsonObject[]>
  /**
   * The keys fetched anew, because a token names one that they lack; null when that was done in the last 30 s. Rejects
   * when they cannot be fetched.
   */
  renew(url: string): Promise<readonly JsonObject[] | null>
}

export interface CheckFetch extends ProviderFetch {
  /**
   * The URL comes out of a text, so that anyone may have written it: its host is no service of the check's, and whether
   * it answers has no bearing on those that are.
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
  /** Parsed body; null when it is empty or not JSON. */
  json: unknown
}

/** A check whose parameters were validated and prepared: patterns compiled, lists turned into sets. */
export interface PreparedCheck {
  /**
   * Gives the verdict. A throw is an error, never a verdict.
   */
  run(input: CheckInput, io: CheckIo): Verdict | Promise<Verdict>
  /**
   * Whether a verdict over a window of a streamed answer means the same as one over the whole:
   * true for "must not occur", false (the default) where the whole text is needed.
   */
  windowed?: boolean
  /**
   * For a windowed check: the most UTF-16 units that it must see at once, such as the length of the longest word that
   * must not occur. Windows overlap by at least that. Absent, null or above 16,384: there is no such bound, and a
   * stream that the check may deny is held back to its end.
   */
  longestMatch?: number | null
  /**
   * Whether a verdict may come with `transformed`. A guardrail that says so, such as one that redacts, holds a streamed
   * answer back to its end; what another one changes of an answer that flows already is lost. Mutators need not say it.
   */
  transforms?: boolean
}

/** `Settings`: what `settings` of the plugin validates; without a schema they are `{}`. */
export interface Check<Parameters = never, Settings = Readonly<JsonObject>> {
  /** Without the plugin's name: `regexMatch`. */
  id: string
  title: string
  description: string
  kind: 'guardrail' | 'mutator'
  phases: readonly Phase[]
  /** Whether a hook with this check denies when it does not say `deny` itself; default false. */
  deny?: boolean
  /** JSON Schema (TypeBox) of the parameters: an object that refuses unknown keys. */
  parameters: TSchema
  /**
   * Which parameter names the one inbound header that the check reads although it is a credential: a token of the
   * caller's. Without it a check sees no credential at all.
   */
  headerParameter?: string
  /**
   * Called once per config, with parameters that fit the schema and have their defaults. Throws Error for what a
   * schema cannot say, and where a credential is in neither the parameters nor the settings: such a config is refused.
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
  /** Where the settings have the gateway prove itself by the cloud identity of its process. */
  ownIdentity?: PluginIdentity
}

/**
 * As {@link OwnIdentity} of a provider: whoever may set the plugin up could name any host, so such calls go to the
 * vendor's own hosts and to `security.trusted_hosts` only.
 */
export interface PluginIdentity {
  /** Addresses that calls proved by it go to with these settings, each with its path in them; none where it is not used. */
  addresses(settings: Readonly<JsonObject>): readonly { param: string; url: string }[]
  /** Host names of the vendor's API, matched whole and in lower case; they are called over HTTPS on its usual port. */
  hosts: RegExp
}
