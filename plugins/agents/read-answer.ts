/**
 * Checks that an agent answers in the format of its interface before the client gets a byte: a proxy's error page does
 * not count as an answer. A stream of events is passed on as it arrives; of an answer that is larger than the limit,
 * only the beginning is checked. Errors: `upstream_invalid_response`.
 */
import { GatewayError, isObject, type JsonObject, parseJson, type UpstreamStream } from '@gateway/contract'
import { readBounded } from './logged.ts'

/** The size up to which a whole answer is checked. */
const maxBytes = 4 * 1_048_576

export type Interface = 'JSONRPC' | 'HTTP+JSON'

const formats = { JSONRPC: 'JSON-RPC', 'HTTP+JSON': 'JSON' } as const

export const isEventStream = ({ headers }: UpstreamStream): boolean =>
  headers['content-type']?.includes('text/event-stream') === true

/** The body, unchanged. @param spoken the interface that was called */
export async function checkedBody(answer: UpstreamStream, spoken: Interface): Promise<AsyncIterable<Buffer>> {
  if (isEventStream(answer)) return answer.body
  const { bytes, isWhole } = await readBeginning(answer)
  const isFine = isWhole ? isAnswer(bytes, spoken) : isBeginning(bytes, spoken)
  if (isFine) return isWhole ? only(bytes) : joined(bytes, answer.body)
  if (!isWhole) answer.dump()
  throw invalid(`The agent answered with status ${answer.status}, but not in ${formats[spoken]}.`)
}

/** The body of an answer that must be an object. */
export async function readJson(answer: UpstreamStream, spoken: Interface): Promise<JsonObject> {
  const { bytes, isWhole } = await readBeginning(answer)
  if (!isWhole) {
    answer.dump()
    throw invalid('The answer of the agent is too large.')
  }
  const parsed = readBounded(bytes)
  if (isObject(parsed) && (spoken !== 'JSONRPC' || isRpc(parsed))) return parsed
  throw invalid(`The agent sent an answer that is not ${formats[spoken]}.`)
}

const invalid = (message: string) => new GatewayError('upstream_invalid_response', message)

async function readBeginning({ body }: UpstreamStream): Promise<{ bytes: Buffer; isWhole: boolean }> {
  const chunks: Buffer[] = []
  let size = 0
  for (;;) {
    const step = await body.next()
    if (step.done === true) return { bytes: Buffer.concat(chunks), isWhole: true }
    chunks.push(step.value)
    size += step.value.length
    if (size > maxBytes) return { bytes: Buffer.concat(chunks), isWhole: false }
  }
}

/** A notification, and a REST call such as a deletion, are answered without a body. */
function isAnswer(bytes: Buffer, spoken: Interface): boolean {
  if (bytes.length === 0) return true
  const parsed = parseJson(bytes.toString('utf8'))
  return spoken === 'JSONRPC' ? isRpc(parsed) : parsed !== undefined
}

const isRpc = (parsed: unknown): boolean => isObject(parsed) && parsed.jsonrpc === '2.0'

function isBeginning(bytes: Buffer, spoken: Interface): boolean {
  const text = bytes.subarray(0, 1024).toString('utf8').trimStart()
  return text.startsWith('{') || (spoken === 'HTTP+JSON' && text.startsWith('['))
}

async function* only(bytes: Buffer): AsyncGenerator<Buffer> {
  if (bytes.length > 0) yield bytes
}

async function* joined(bytes: Buffer, rest: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  yield bytes
  yield* rest
}
