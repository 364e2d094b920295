/**
 * Decodes answers with a content-encoding (RFC 9110, section 8.4). The gateway does not request any, but some upstreams
 * compress regardless. Errors: `upstream_invalid_response`.
 */
import { pipeline, Readable, type Transform } from 'node:stream'
import zlib from 'node:zlib'
import { GatewayError } from '@gateway/contract'
import type { UpstreamBody } from '@gateway/flow'

interface Encoded {
  status: number
  headers: Record<string, string>
  body: UpstreamBody
}

type MakeDecoder = (first: Buffer) => Transform

const decoders: Readonly<Record<string, MakeDecoder>> = {
  gzip: () => zlib.createGunzip(),
  'x-gzip': () => zlib.createGunzip(),
  // Both formats are sent with this name; a zlib header contains 8 (deflate) in the low half of its first byte.
  deflate: (first) => (((first[0] ?? 0) & 0x0f) === 8 ? zlib.createInflate() : zlib.createInflateRaw()),
  br: () => zlib.createBrotliDecompress(),
}

/** Maximum number of stacked encodings; each costs a decoder. */
const maxCodings = 3

/**
 * The same answer with its body decoded as it is read, and without the headers about the encoding.
 * Errors: `upstream_invalid_response` for an unknown encoding; while reading, for invalid data.
 */
export function decodeAnswer(answer: Encoded): Encoded {
  const { 'content-encoding': written = '', 'content-length': _length, ...headers } = answer.headers
  const codings = written.split(',').map((coding) => coding.trim().toLowerCase())
  const applied = codings.filter((coding) => coding !== '' && coding !== 'identity').reverse()
  if (applied.length === 0) return answer
  if (applied.length > maxCodings) throw undecodable()
  const chain = applied.map((coding) => {
    const make = Object.hasOwn(decoders, coding) ? decoders[coding] : undefined
    if (make === undefined) throw undecodable()
    return make
  })
  return { ...answer, headers, body: chain.reduce(decodeBody, answer.body) }
}

function decodeBody(source: UpstreamBody, make: MakeDecoder): UpstreamBody {
  const decoded = decode(source, make)
  const close = () => source.destroy()
  return {
    next: () => decoded.next(),
    async return() {
      close()
      await decoded.return(undefined)
      return { done: true, value: undefined }
    },
    destroy: close,
    dump: () => source.dump(),
    [Symbol.asyncIterator]() {
      return this
    },
  }
}

/** Starts with the first chunk: an empty body is valid without an encoded one. */
async function* decode(
  source: UpstreamBody,
  make: MakeDecoder,
): AsyncGenerator<Buffer, undefined, undefined> {
  const first = await source.next()
  if (first.done === true) return
  const upstream: { hasFailed: boolean; error: unknown } = { hasFailed: false, error: null }
  async function* coded(head: Buffer) {
    try {
      yield head
      yield* source
    } catch (error) {
      upstream.hasFailed = true
      upstream.error = error
      throw error
    }
  }
  // Its errors reach the reader, who iterates the decoder.
  const decoder = pipeline(Readable.from(coded(first.value)), make(first.value), () => undefined)
  try {
    for await (const chunk of decoder) yield chunk
  } catch (error) {
    throw upstream.hasFailed ? upstream.error : undecodable(error)
  } finally {
    source.destroy()
  }
}

function undecodable(cause?: unknown): GatewayError {
  return new GatewayError('upstream_invalid_response', 'The answer of the provider could not be decoded.', {
    cause,
  })
}
