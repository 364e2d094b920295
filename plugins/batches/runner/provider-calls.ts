/**
 * Calls of a provider about its batch, in the name of whoever created it. Two kinds of batches: of the compatible format
 * (a file of lines is uploaded, outputs are files), and Message Batches (the requests are the body).
 * Errors: {@link ProviderRefusal} for an answer that is an error.
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

  /** Whether it may be answered otherwise later. */
  get isPassing(): boolean {
    return this.status === 429 || this.status === 408 || this.status >= 500
  }
}

/** One request of a batch, in the provider's format. */
interface WireLine {
  /** As {@link ProviderCalls.keyOf} made it. */
  key: string
  body: JsonObject
  /** The same as a line of a batch, without its key. */
  line: JsonObject
}

/** How the provider's batch stands. */
interface ProviderState {
  /** Of the compatible format. */
  status: string
  counts: { completed: number; failed: number } | null
  errors: JsonObject[]
  /** As the provider tells of it. */
  details: JsonObject
}

/** Facts about a batch that may have been created before a crash. */
interface Submission {
  /** Unix milliseconds. */
  startedAt: number
  lines: number
  /** Whether a batch of the provider's is known to be another one. */
  isOther(batchId: string): Promise<boolean>
}

interface SubmittedWire {
  /** Null where a batch is made of its requests. */
  fileId: string | null
  content(): Promise<AsyncIterable<Uint8Array>>
  /** Of the lines; null where they name none. */
  model: string | null
}

export interface ProviderCalls {
  /** The provider's id of a line's request. */
  keyOf(line: Pick<BatchLine, 'number' | 'customId'>): string
  /** The wire file's line for a request. */
  writeLine(line: WireLine): string
  /** Null where a batch is made of its requests. */
  upload: ((content: AsyncIterable<Uint8Array>) => Promise<string>) | null
  create(wire: SubmittedWire): Promise<JsonObject>
  /** The provider batch created for this one before a crash; null when there is none. */
  findCreated(submission: Submission): Promise<JsonObject | null>
  /** Whether a batch that has ended is this one's, where that cannot be seen before. */
  isOurs(details: JsonObject): Promise<boolean>
  retrieve(batchId: string): Promise<ProviderState>
  cancel(batchId: string): Promise<void>
  results(details: JsonObject): AsyncGenerator<BatchResult>
}

export interface CallerParts {
  context: Pick<ServiceContext, 'runInference' | 'ports' | 'now'>
  /** The creator of the batch or job. */
  batch: { data: Pick<BatchDocument['data'], 'caller' | 'client_ip'> }
  headers: Readonly<Record<string, string>>
  /** Of the stored credential. */
  slug: string | null
}

export type Ask = (
  method: 'GET' | 'POST',
  path: string,
  sent?: { body?: JsonObject; raw?: { contentType: string; bytes: AsyncIterable<Uint8Array> } },
) => Promise<InferenceAnswer>

/** Nothing of these calls is logged or counted: the batch is. */
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
        charge: ({ id }) => void context.ports.counters.settle(id, [], context.now()),
      },
    })
    if (answer.status < 300) return answer
    await answer.stream?.return?.()
    const parsed: unknown = answer.text === null ? null : parse(answer.text)
    const error = isObject(parsed) && isObject(parsed.error) ? parsed.error : {}
    const message =
      typeof error.message === 'string' ? error.message : `The provider answered ${answer.status}.`
    throw new ProviderRefusal(answer.status, String(error.code ?? 'upstream_error'), message)
  }
}

/** The credential is named; a config might name another one. */
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
