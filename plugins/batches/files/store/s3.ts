/**
 * Stores files in a bucket of S3 or a compatible service. Content longer than one part is uploaded in parts, and
 * everything is read in ranges: at most one part is in memory.
 * https://docs.aws.amazon.com/AmazonS3/latest/API/API_CreateMultipartUpload.html Errors: `store_unavailable`; those of
 * the source.
 */
import {
  faultReason,
  GatewayError,
  type ProviderFetchAnswer,
  type S3Settings,
  type ServiceContext,
} from '@gateway/contract'
import { AwsV4Signer } from 'aws4fetch'
import type { FileStore } from './file-store.ts'

/** S3 requires parts of at least 5 MiB, and at most 10,000 of them. */
const partBytes = 8_388_608
const timeoutMs = 60_000

type Method = 'GET' | 'HEAD' | 'PUT' | 'POST' | 'DELETE'

interface Call {
  method: Method
  key: string
  query?: string
  body?: Buffer
  headers?: Record<string, string>
}

export function createS3Store(
  settings: S3Settings,
  { fetch, now }: ServiceContext<'fetch' | 'now'>,
): FileStore {
  const base = addressOf(settings)
  const { region, prefix, access_key_id: accessKeyId, secret_access_key: secretAccessKey } = settings

  async function call({ method, key, query = '', body, headers = {} }: Call): Promise<ProviderFetchAnswer> {
    const path = `${prefix ?? ''}${key}`.split('/').map(encodeURIComponent).join('/')
    const url = `${base}/${path}${query === '' ? '' : `?${query}`}`
    const signed = await sign({ method, url, headers, ...(body === undefined ? {} : { body }) })
    return fetch({
      method,
      url,
      headers: signed,
      ...(body === undefined ? {} : { body }),
      timeoutMs,
      maxBytes: partBytes + 65_536,
    }).catch((error: unknown) => Promise.reject(unavailable(faultReason(error))))
  }

  /** Requests without keys are unsigned, for public buckets. */
  async function sign(request: {
    method: Method
    url: string
    headers: Record<string, string>
    body?: Buffer
  }): Promise<Record<string, string>> {
    if (accessKeyId === null || secretAccessKey === null) return request.headers
    const signer = new AwsV4Signer({
      ...request,
      accessKeyId,
      secretAccessKey,
      region,
      service: 's3',
      datetime: new Date(now()).toISOString().replace(/[:-]|\.\d{3}/g, ''),
    })
    const { headers } = await signer.sign()
    return Object.fromEntries([...headers].filter(([name]) => name !== 'host'))
  }

  async function expect(call_: Call, statuses: readonly number[] = [200]): Promise<ProviderFetchAnswer> {
    const answer = await call(call_)
    if (statuses.includes(answer.status)) return answer
    throw unavailable(`S3 answered ${call_.method} with ${answer.status}`)
  }

  async function uploadInParts(key: string, first: Buffer, rest: AsyncIterator<Buffer>): Promise<number> {
    const begun = await expect({ method: 'POST', key, query: 'uploads=' })
    const uploadId = /<UploadId>([^<]+)<\/UploadId>/.exec(begun.bytes.toString('utf8'))?.[1]
    if (uploadId === undefined) throw unavailable('S3 returned no upload id')
    const upload = `uploadId=${encodeURIComponent(uploadId)}`
    const tags: string[] = []
    let bytes = 0
    try {
      for (let part: Buffer | null = first; part !== null; ) {
        const query = `partNumber=${tags.length + 1}&${upload}`
        const { headers } = await expect({ method: 'PUT', key, query, body: part })
        tags.push(headers.etag ?? '')
        bytes += part.length
        const step: IteratorResult<Buffer> = await rest.next()
        part = step.done === true ? null : step.value
      }
      await expect({ method: 'POST', key, query: upload, body: Buffer.from(completion(tags)) })
      return bytes
    } catch (error) {
      // Cleanup errors must not hide the original error.
      await call({ method: 'DELETE', key, query: upload }).catch(() => undefined)
      throw error
    }
  }

  async function* ranges(key: string, first: ProviderFetchAnswer): AsyncGenerator<Uint8Array> {
    const size = sizeOf(first)
    yield first.bytes
    for (let start = first.bytes.length; start < size; ) {
      const { bytes } = await expect({ method: 'GET', key, headers: rangeFrom(start) }, [206])
      yield bytes
      start += bytes.length
    }
  }

  return {
    async put(key, source) {
      const parts = inParts(source)
      const first = await parts.next()
      if (first.done === true) {
        await expect({ method: 'PUT', key, body: Buffer.alloc(0) })
        return 0
      }
      if (first.value.length >= partBytes) return uploadInParts(key, first.value, parts)
      await expect({ method: 'PUT', key, body: first.value })
      return first.value.length
    },
    async get(key) {
      // A range of an empty object cannot be satisfied.
      const first = await expect({ method: 'GET', key, headers: rangeFrom(0) }, [200, 206, 404, 416])
      if (first.status === 404) return null
      return first.status === 416 ? empty() : ranges(key, first)
    },
    async remove(key) {
      await expect({ method: 'DELETE', key }, [200, 204, 404])
    },
    // A lifecycle rule of the bucket removes incomplete uploads.
    sweep: async () => undefined,
  }
}

const rangeFrom = (start: number) => ({ range: `bytes=${start}-${start + partBytes - 1}` })

function sizeOf({ status, headers, bytes }: ProviderFetchAnswer): number {
  const total = /\/(\d+)$/.exec(headers['content-range'] ?? '')?.[1]
  return status === 206 && total !== undefined ? Number(total) : bytes.length
}

async function* empty(): AsyncGenerator<Uint8Array> {
  // The object is empty.
}

/** The same bytes in parts of equal size, except the last. */
async function* inParts(source: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
  let held: Uint8Array[] = []
  let heldBytes = 0
  for await (const chunk of source) {
    held.push(chunk)
    heldBytes += chunk.length
    if (heldBytes < partBytes) continue
    const whole = Buffer.concat(held)
    let start = 0
    for (; whole.length - start >= partBytes; start += partBytes)
      yield whole.subarray(start, start + partBytes)
    held = [whole.subarray(start)]
    heldBytes = whole.length - start
  }
  if (heldBytes > 0) yield Buffer.concat(held)
}

const completion = (tags: readonly string[]): string =>
  `<CompleteMultipartUpload>${tags
    .map((tag, index) => `<Part><PartNumber>${index + 1}</PartNumber><ETag>${tag}</ETag></Part>`)
    .join('')}</CompleteMultipartUpload>`

/** `https://BUCKET.s3.REGION.amazonaws.com`, or with the bucket as the first segment of the path. */
function addressOf({ endpoint, region, bucket, force_path_style: isPath }: S3Settings): string {
  const url = new URL(endpoint ?? `https://s3.${region}.amazonaws.com`)
  const path = url.pathname.replace(/\/$/, '')
  return isPath ? `${url.origin}${path}/${bucket}` : `${url.protocol}//${bucket}.${url.host}${path}`
}

const unavailable = (storeFault: string) =>
  new GatewayError(
    'store_unavailable',
    "The file store is not available: the request to S3 failed. The gateway's log has the cause.",
    { storeFault },
  )
