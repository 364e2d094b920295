/**
 * The input of checks, created from an exchange. Creating one is cheap: texts are extracted on first access, once for
 * all checks that share the input.
 */
import type { CheckInput, EndpointId, JsonObject, Phase, TextPart } from '@gateway/contract'
import { toolDefinition } from '@gateway/contract/dialect'
import type { Endpoint } from '@gateway/flow'

type CheckRequest = CheckInput['request']

/** A check's input without its texts. */
export type CheckSubject = Omit<
  CheckInput,
  'endpoint' | 'parts' | 'text' | 'lastParts' | 'lastText' | 'request'
> & {
  endpoint: Endpoint
  request: { json: JsonObject }
}

/** Creates the input for checks on a whole body: the request in the before phase, the answer in the after phase. */
export function createCheckInput(subject: CheckSubject): CheckInput {
  return new LazyInput(subject, null)
}

/** Creates the input for checks on given texts: a streamed answer, or a window of one. */
export function createTextInput(subject: CheckSubject & { parts: readonly TextPart[] }): CheckInput {
  return new LazyInput(subject, subject.parts)
}

class LazyInput implements CheckInput {
  readonly phase: Phase
  readonly endpoint: EndpointId
  readonly provider: string | null
  readonly metadata: Readonly<Record<string, string>>
  readonly headers: Readonly<Record<string, string>>
  readonly request: CheckRequest
  readonly response: { json: JsonObject | null; status: number } | null
  readonly #declared: Endpoint
  #parts: readonly TextPart[] | null
  #text: string | null = null
  #lastParts: readonly TextPart[] | null = null
  #lastText: string | null = null

  constructor(subject: CheckSubject, parts: readonly TextPart[] | null) {
    this.phase = subject.phase
    this.endpoint = subject.endpoint.id
    this.#declared = subject.endpoint
    this.provider = subject.provider
    this.metadata = subject.metadata
    this.headers = subject.headers
    this.request = new RequestView(subject.endpoint, subject.request.json)
    this.response = subject.response
    this.#parts = parts
  }

  get parts(): readonly TextPart[] {
    this.#parts ??= this.#gather()
    return this.#parts
  }

  get text(): string {
    this.#text ??= joinTexts(this.parts)
    return this.#text
  }

  get lastParts(): readonly TextPart[] {
    this.#lastParts ??= lastParts(this.#declared, this.phase, { body: this.request.json, parts: this.parts })
    return this.#lastParts
  }

  get lastText(): string {
    this.#lastText ??= joinTexts(this.lastParts)
    return this.#lastText
  }

  #gather(): readonly TextPart[] {
    if (this.phase === 'before') return textParts(this.#declared, 'before', this.request.json)
    const answer = this.response?.json
    return answer ? textParts(this.#declared, 'after', answer) : []
  }
}

/** The request, whose text is also available to checks of the answer. */
class RequestView implements CheckRequest {
  readonly json: JsonObject
  readonly #endpoint: Endpoint
  #text: string | null = null

  constructor(endpoint: Endpoint, json: JsonObject) {
    this.#endpoint = endpoint
    this.json = json
  }

  get text(): string {
    this.#text ??= joinTexts(textParts(this.#endpoint, 'before', this.json))
    return this.#text
  }
}

/**
 * Picks the parts of the last message. For a conversation, these are the parts of its last message (none if it has only
 * images); for everything else, all parts except tool definitions. All choices of an answer count as its last message,
 * so none is skipped.
 */
function lastParts(
  { conversation: list }: Pick<Endpoint, 'conversation'>,
  phase: Phase,
  { body, parts }: { body: JsonObject; parts: readonly TextPart[] },
): readonly TextPart[] {
  if (phase === 'after') return parts
  const messages = list === null ? undefined : body[list]
  if (typeof messages === 'string') return parts.filter(({ path }) => path === `/${list}`)
  if (!Array.isArray(messages)) return parts.filter(({ role }) => role !== toolDefinition)
  const prefix = `/${list}/${messages.length - 1}/`
  return parts.filter((part) => part.path.startsWith(prefix))
}

/** Joins the texts of parts with newlines. */
export function joinTexts(parts: readonly TextPart[]): string {
  if (parts.length === 1) return parts[0]?.text ?? ''
  return parts.map((part) => part.text).join('\n')
}

/** The texts of a request (before phase) or of an answer (after phase), in order. */
export function textParts(
  { requestTexts, answerTexts }: Pick<Endpoint, 'requestTexts' | 'answerTexts'>,
  phase: Phase,
  body: JsonObject,
): TextPart[] {
  const parts: TextPart[] = []
  const read = phase === 'before' ? requestTexts : answerTexts
  read?.(body, parts)
  return parts
}
