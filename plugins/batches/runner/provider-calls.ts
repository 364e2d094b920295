/**
 * Calls to a provider about its batch, with the credential of the batch's creator. Two kinds of batches: the
 * OpenAI-compatible format (a file of lines is uploaded, outputs are files), and Message Batches (the body contains the
 * requests). Errors: {@link ProviderRefusal} for an error answer.
 */
import {
  type BatchResult,
  type InferenceAnswer,
  isObject,
  type JsonObject,
  type ServiceContext,
} from '@gateway/contract'
import type { BatchDocument } from '../batches/store.ts'
import type { BatchLine } from './check-lines.ts'

export class ProviderRefusal extends Error {
  readonly status: number
  readonly code: string

  constructor(status: number, code: string, message: string) {
    super(message)
    this.status = status
    this.code = code
  }

  /** Whether a later attempt may succeed. */
  get isPassing(): boolean {
    return this.status === 429 || this.status === 408 || this.status >= 500
  }
}

/** One request of a batch, in the provider's format. */
interface WireLine {
  /** The key that {@link ProviderCalls.keyOf} created. */
  key: string
  body: JsonObject
  /** The request as a line of a batch, without its key. */
  line: JsonObject
}

/** The state of the provider's batch. */
interface ProviderState {
  /** A status of the OpenAI-compatible format. */
  status: string
  counts: { completed: number; failed: number } | null
  errors: JsonObject[]
  /** The batch object from the provider. */
  details: JsonObject
}

/** Facts about a batch that may have been created before a crash. */
interface Submission {
  /** Unix milliseconds. */
  startedAt: number
  lines: number
  /** Whether a provider's batch is known to belong to another batch. */
  isOther(batchId: string): Promise<boolean>
}

interface SubmittedWire {
  /** Null for a batch whose body contains the requests. */
  fileId: string | null
  content(): Promise<AsyncIterable<Uint8Array>>
  /** The model of the lines; null if they have none. */
  model: string | null
}

export interface ProviderCalls {
  /** The id of a line's request at the provider. */
  keyOf(line: Pick<BatchLine, 'number' | 'customId'>): string
  /** The line for a request in the uploaded file. */
  writeLine(line: WireLine): string
  /** Null for a batch whose body contains the requests. */
  upload: ((content: AsyncIterable<Uint8Array>) => Promise<string>) | null
  create(wire: SubmittedWire): Promise<JsonObject>
  /** The provider's batch that was created for this one before a crash, or null. */
  findCreated(submission: Submission): Promise<JsonObject | null>
  /** Whether an ended batch belongs to this one, for formats where only the results show it. */
  isOurs(details: JsonObject): Promise<boolean>
  retrieve(batchId: string): Promise<ProviderState>
  cancel(batchId: string): Promise<void>
  results(details: JsonObject): AsyncGenerator<BatchResult>
}

export interface CallerParts {
  context: ServiceContext<'counters' | 'now' | 'runInference'>
  /** The creator of the batch or job. */
  batch: { data: Pick<BatchDocument['data'], 'caller' | 'client_ip'> }
  headers: Readonly<Record<string, string>>
  /** The slug of the stored credential. */
  slug: string | null
}

export type Ask = (
  method: 'GET' | 'POST',
  path: string,
  sent?: { body?: JsonObject; raw?: { contentType: string; bytes: AsyncIterable<Uint8Array> } },
) => Promise<InferenceAnswer>

/** These calls are neither logged nor counted; the batch is. */
export function createAsk({ context, batch, headers, slug }: CallerParts): Ask {
  const { data } = batch
  const named = slug === null ? headers : { ...without(headers, 'config'), 'x-gateway-virtual-key': slug }
  return async (method, path, { body = null, raw } = {}) => {
    const answer = await context.runInference({
      method,
      path,
      body,
      ...(raw === undefined ? {} : { raw }),
      identity: { ...data.caller, scopes: new Set(data.caller.scopes) },
      headers: named,
      clientIp: data.client_ip,
      signal: new AbortController().signal,
      isExempt: true,
      records: {
        entry: () => undefined,
        charge: ({ id }) => void context.counters.settle(id, [], context.now()),
      },
    })
    if (answer.status < 300) return answer
    await answer.stream?.return?.()
    const parsed: unknown = answer.text === null ? null : parse(answer.text)
    const error = isObject(parsed) && isObject(parsed.error) ? parsed.error : {}
    const message =
      typeof error.message === 'string'
        ? error.message
        : `The provider answered with status ${answer.status}.`
    throw new ProviderRefusal(answer.status, String(error.code ?? 'upstream_error'), message)
  }
}

/** The credential is passed explicitly, because a config might use a different one. */
const without = (headers: Readonly<Record<string, string>>, name: string) =>
  Object.fromEntries(Object.entries(headers).filter(([key]) => !key.endsWith(`-${name}`)))

export function objectOf({ text }: InferenceAnswer): JsonObject {
  const body: unknown = parse(text ?? '')
  if (isObject(body)) return body
  throw new ProviderRefusal(502, 'upstream_invalid_response', 'The provider returned an invalid answer.')
}

export function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
