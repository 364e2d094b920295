/**
 * The logged bodies of a request. Text that an input hook removed is not logged unless the config file enables it: a
 * redaction logged in clear would be useless.
 */
import { type Json, type JsonObject, type LogBodies, parseJson } from '@gateway/contract'
import { keptBody, keptHeaders, keptSide, keptText, keptUrl, mediaMark } from '@gateway/domain'
import { type Ended, keepsCheckState, knownText, lastAttempt } from '@gateway/flow'

export interface LoggedBodies {
  bodies: LogBodies | null
  /** The request and the response without their bodies. */
  sides: { request: JsonObject; response: JsonObject }
}

/** @param streamed the body assembled from a stream; undefined for other answers */
export function loggedBodies(exchange: Ended, status: number, streamed: () => Json): LoggedBodies {
  const { transport, workspace } = exchange
  const { record } = exchange.request
  const { logs } = workspace
  const head = {
    url: keptUrl(transport.path, transport.search, logs),
    method: transport.method,
    headers: keptHeaders(transport.headers, (name) => isUnread(exchange, name)),
  }
  const headers = keptHeaders(record.head?.headers ?? {})
  if (logs.bodies !== 'full') {
    return {
      bodies: null,
      sides: { request: keptSide(head, logs), response: keptSide({ status, headers }, logs) },
    }
  }
  const askedBody = requestBody(exchange)
  // Most bodies are forwarded unchanged.
  const changed = transformedBody(exchange)
  const transformed = changed === askedBody ? null : changed
  const original = hidesOriginal(exchange) ? null : record.original
  // The text is normalised if it is compared with other texts below.
  const sent = transformed === null ? knownText(exchange, askedBody) : null
  const came = original === null ? responseText(exchange) : null
  const asked = keptAs(sent, logs.maxBodyBytes) ?? keptBody(askedBody, logs.maxBodyBytes)
  const answered =
    keptAs(came, logs.maxBodyBytes) ?? keptBody(responseBody(exchange, streamed), logs.maxBodyBytes)
  const { url, method } = head
  return {
    bodies: {
      request: asked.text,
      response: answered.text,
      transformed_request: unless(asked.text, transformed, logs.maxBodyBytes),
      original_response: unless(answered.text, original, logs.maxBodyBytes),
    },
    sides: {
      request: { url, method, headers: head.headers, body_truncated: asked.isTruncated },
      response: { status, headers, body_truncated: answered.isTruncated },
    },
  }
}

/** Whether a gateway header could not be parsed or referred to an unknown config. It may then contain a credential. */
function isUnread({ options, node, request }: Ended, name: string): boolean {
  const { prefix } = request.ownHeaders
  if (!name.startsWith(prefix)) return false
  return options === null || (node === null && name === `${prefix}config`)
}

/** @param written the body as it was sent; null when unknown */
const keptAs = (written: string | null, maxBytes: number) =>
  written === null ? null : keptText(written, maxBytes)

const responseText = (exchange: Ended): string | null => {
  const { answer } = exchange
  return answer === null || answer.stream !== null || answer.contentType !== null || restores(exchange)
    ? null
    : answer.text
}

/** Returns the text of a body if it differs from the known one. */
function unless(known: string, body: JsonObject | null, maxBytes: number): string | null {
  if (body === null) return null
  const { text } = keptBody(body, maxBytes)
  return text === known ? null : text
}

function requestBody(exchange: Ended): Json {
  const { workspace } = exchange
  const { record } = exchange.request
  const { files, raw } = exchange.input
  if (raw !== null && !raw.isRead) return raw.bytes.length === 0 ? null : mediaMark(raw.bytes)
  const body = workspace.logs.keepsOriginal ? record.asked : (record.changed ?? record.asked)
  if (body === null || files.length === 0) return body
  const uploaded = files.map(({ field, filename, contentType, bytes }) => ({
    field,
    filename,
    content_type: contentType,
    bytes: mediaMark(bytes),
  }))
  return { ...body, files: uploaded }
}

/** Text that hooks restored in the answer is as private as the text removed from the request. */
const restores = ({ workspace, request: { record } }: Ended): boolean =>
  !workspace.logs.keepsOriginal &&
  record.changed !== null &&
  record.original !== null &&
  keepsCheckState(record)

const hidesOriginal = (exchange: Ended): boolean => restores(exchange)

function responseBody(exchange: Ended, streamed: () => Json): Json {
  const { answer } = exchange
  const { record } = exchange.request
  if (answer === null) return null
  if (restores(exchange)) return record.original
  if (answer.stream !== null) return streamed()
  if (answer.contentType !== null) return answer.text
  if (answer.body !== null) return answer.body
  return answer.text === null ? null : ((parseJson(answer.text) ?? answer.text) as Json)
}

/** The body sent to the answering target, in its format. */
const transformedBody = ({ request: { ledger } }: Ended): JsonObject | null => {
  const attempt = lastAttempt(ledger)
  return attempt === undefined ? null : (attempt.wire ?? attempt.body)
}
