/**
 * What the stages know of the endpoint that a request is for: how its bodies are checked, which texts guardrails read,
 * how its answers stream, what it uses and costs. `core/endpoints/` declares one object for each endpoint; the router
 * puts it into the exchange, so that nothing is looked up by name behind it.
 */
import type { EndpointId, JsonObject, TextPart } from '@gateway/contract'
import type { FormRules } from '@gateway/contract/wire'
import type { TSchema } from '@sinclair/typebox'
import type { Answer } from './answer.ts'
import type { ClientDialect } from './client-dialect.ts'
import type { StreamFormat } from './stream-format.ts'
import type { Usage } from './usage.ts'

/** Adds the texts of a body to `parts`, in the order in which they stand. */
export type TextReader = (body: JsonObject, parts: TextPart[]) => void

/** How a provider without the endpoint answers it, by an endpoint that it has. */
type Translation = {
  /** Any of these will do. */
  readonly needs: readonly EndpointId[]
} & (
  | { readonly kind: 'chat'; readonly dialect: ClientDialect }
  /** Nothing is asked: the gateway answers. `prefix` is that of its own headers. */
  | { readonly kind: 'estimate'; answer(body: JsonObject, prefix: string): Answer }
)

export interface Endpoint {
  /** As policies, plugins and logs name it. */
  readonly id: EndpointId
  /** What a credential needs; any of them. */
  readonly scopes: readonly string[]
  /** Whether a session has to name the workspace in which it calls. */
  readonly needsWorkspace: boolean

  /** Of the request body; null where every JSON object is taken. */
  readonly request: TSchema | null
  /** Of a body that is a form; null where it is JSON alone. */
  readonly form: FormRules | null
  /** Whether it is a WebSocket, for as long as both sides stay. */
  readonly isSession: boolean
  /** Whether bodies pass as bytes, because their format is the provider's. */
  readonly isProxied: boolean

  /** What guardrails and the estimate read of a request; null where it holds no text. */
  readonly requestTexts: TextReader | null
  /** What guardrails read of an answer; null where it holds no text. */
  readonly answerTexts: TextReader | null
  /** The member of a request that lists the messages of a conversation; null where there is none. */
  readonly conversation: string | null

  /** What a prompt brings into a body, as far as the schema asks for it; null where no prompt can run. */
  readonly promptMembers: Readonly<JsonObject> | null

  /** Whether an answer can be a stream of events. */
  readonly streams: boolean
  /** Of streams, and of errors. */
  readonly format: StreamFormat
  /** Whether a stream names its usage only where the request asks for it. */
  readonly asksForUsage: boolean

  /** What a whole answer says of its usage, null when it says nothing; by default the format knows. */
  readonly readUsage: ((body: JsonObject) => Usage | null) | null
  /** Whether a model is asked, so that limits reserve tokens. */
  readonly isMetered: boolean
  /** Whether calls have an entry in the log. */
  readonly isLogged: boolean
  /** Whether images are made: they are counted, and priced by size and quality. */
  readonly makesImages: boolean
  /** Whether the price is known of what was estimated: not where it is of something that no body tells. */
  readonly isEstimatePriced: boolean

  /** The largest answer that is read as a whole, where that is more than `upstream.max_answer_bytes`; else null. */
  readonly maxAnswerBytes: number | null
  /** Whether the answer to this request may be stored in the cache. */
  mayCache(body: JsonObject): boolean
  /** Whether the gateway keeps what is answered, for later requests to continue. */
  readonly keepsResponses: boolean
  /** Null where only a provider that has the endpoint can answer. */
  readonly translation: Translation | null
}
