/**
 * Fetches images and files that a caller specified by URL and puts them into the body as base64 `data:` URLs, for
 * providers that accept only bytes. Every URL goes through the host guard.
 * Errors: `invalid_body` with the path of the part for a URL that cannot be fetched, is too large or is not media;
 * `host_not_allowed`.
 */
import {
  type CallContext,
  GatewayError,
  isGatewayError,
  isObject,
  type Json,
  type JsonObject,
  type ProviderIo,
} from '@gateway/contract'

const maxBytes = 20 * 1_048_576
/** The total limit per request. */
const maxParts = 50
const timeoutMs = 10_000

interface RemotePart {
  path: string
  url: string
}

/** Creates the `prepare` of an endpoint: http(s) URLs in `image_url` and `file` parts become `data:` URLs. */
export async function inlineMedia(
  body: JsonObject,
  context: CallContext,
  io: ProviderIo,
): Promise<JsonObject> {
  const found = remoteParts(body)
  if (found.length === 0) return body
  if (found.length > maxParts) {
    throw new GatewayError('invalid_body', `More than ${maxParts} parts are specified by URL.`, {
      param: found[maxParts]?.path,
    })
  }
  const fetched = await Promise.all(
    found.map(async (part) => [part.path, await fetchPart(part, context, io)] as const),
  )
  return replaceUrls(body, new Map(fetched))
}

function remoteParts(body: JsonObject): RemotePart[] {
  const parts: RemotePart[] = []
  eachPart(body, (part, path) => {
    const url = urlOf(part)
    if (url !== null && /^https?:\/\//i.test(url)) parts.push({ path, url })
  })
  return parts
}

function eachPart(body: JsonObject, visit: (part: JsonObject, path: string) => void): void {
  const messages = Array.isArray(body.messages) ? body.messages : []
  for (const [index, message] of messages.entries()) {
    if (!isObject(message) || !Array.isArray(message.content)) continue
    for (const [at, part] of message.content.entries())
      if (isObject(part)) visit(part, `/messages/${index}/content/${at}`)
  }
}

function urlOf(part: JsonObject): string | null {
  if (part.type === 'image_url') {
    const url = isObject(part.image_url) ? part.image_url.url : part.image_url
    return typeof url === 'string' ? url : null
  }
  if (part.type !== 'file' || !isObject(part.file)) return null
  const { file_data: data, file_url: url } = part.file
  return [url, data].find((value) => typeof value === 'string') ?? null
}

async function fetchPart({ path, url }: RemotePart, context: CallContext, io: ProviderIo): Promise<string> {
  const fail = (reason: string, cause?: unknown) =>
    new GatewayError('invalid_body', `${path}: ${reason} (provider ${context.settings.provider})`, {
      param: path,
      cause,
    })
  try {
    const answer = await io.fetch({ method: 'GET', url, maxBytes, timeoutMs })
    if (answer.status !== 200) throw fail(`the URL answered ${answer.status}`)
    const type = (answer.headers['content-type'] ?? '').split(';')[0]?.trim().toLowerCase() ?? ''
    if (!/^(image|audio|video|application|text)\/[\w.+-]+$/.test(type) || type === 'text/html')
      throw fail('the URL returned no image or file')
    return `data:${type};base64,${answer.bytes.toString('base64')}`
  } catch (error) {
    if (isGatewayError(error) && error.code !== 'dependency_unavailable') throw error
    if (io.signal.aborted) throw error
    throw fail('the URL could not be fetched, or its content exceeds 20 MiB', error)
  }
}

function replaceUrls(body: JsonObject, urls: ReadonlyMap<string, string>): JsonObject {
  const messages = Array.isArray(body.messages) ? body.messages : []
  return {
    ...body,
    messages: messages.map((message, index) => {
      if (!isObject(message) || !Array.isArray(message.content)) return message
      const content = message.content.map((part, at): Json => {
        const url = urls.get(`/messages/${index}/content/${at}`)
        return url === undefined || !isObject(part) ? part : withUrl(part, url)
      })
      return { ...message, content }
    }),
  }
}

function withUrl(part: JsonObject, url: string): JsonObject {
  if (part.type === 'image_url') {
    return { ...part, image_url: isObject(part.image_url) ? { ...part.image_url, url } : { url } }
  }
  const { file_url: _, ...file } = isObject(part.file) ? part.file : {}
  return { ...part, file: { ...file, file_data: url } }
}
