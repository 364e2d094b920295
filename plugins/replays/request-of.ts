/** Reconstructs the request of a log entry so it can be run again, or returns why it cannot be. */
import { isObject, type Json, type JsonObject, type LogEntry } from '@gateway/contract'
import { readBody, runsTools } from '@gateway/domain'
import { replayedEndpoints } from './compare/answers.ts'

export interface ReplayRequest {
  path: string
  body: JsonObject
  /** The caller's headers that affect the answer, and the metadata, which routing may depend on. */
  headers: Record<string, string>
  /** Whether a guardrail removed text from the stored body. */
  isRedacted: boolean
}

export type Skipped =
  | 'other_endpoint'
  | 'no_body'
  | 'truncated'
  | 'media'
  | 'runs_tools'
  | 'stored_conversation'

/** Headers that select features of a model, not credentials or routes. */
const keptHeaders: ReadonlySet<string> = new Set(['anthropic-beta', 'anthropic-version', 'openai-beta'])

/** Media are logged as hashes. */
const mediaMark = /\[media [0-9a-f]{64} \d+\]/

export function requestOf(entry: LogEntry): ReplayRequest | Skipped {
  const { fields, bodies, details, metadata } = entry
  const endpoint = replayedEndpoints[fields.endpoint_type ?? '']
  if (endpoint === undefined) return 'other_endpoint'
  const written = bodies?.request ?? null
  const body = readBody(written)
  if (isObject(details.request) && details.request.body_truncated === true) return 'truncated'
  if (!isObject(body)) return 'no_body'
  if (mediaMark.test(written ?? '')) return 'media'
  if (runsTools(body)) return 'runs_tools'
  if (body.previous_response_id != null || body.conversation != null) return 'stored_conversation'
  const path = endpoint.path(body)
  return {
    path,
    body: withoutTraces(body, path),
    headers: { ...headersOf(details.request), ...metadataHeader(metadata) },
    isRedacted: isRedacted(details.hook_results),
  }
}

/**
 * Changes a request so that it stores nothing at the provider. By default, providers store responses but not chat
 * completions.
 */
function withoutTraces({ background: _, ...body }: JsonObject, path: string): JsonObject {
  return body.store === true || (path === '/v1/responses' && body.store !== false)
    ? { ...body, store: false }
    : body
}

function headersOf(side: Json | undefined): Record<string, string> {
  const headers = isObject(side) && isObject(side.headers) ? side.headers : {}
  return Object.fromEntries(
    Object.entries(headers).filter(
      (header): header is [string, string] => keptHeaders.has(header[0]) && typeof header[1] === 'string',
    ),
  )
}

/** The metadata as ASCII, which every HTTP parser accepts. */
function metadataHeader(metadata: Readonly<Record<string, string>>): Record<string, string> {
  if (Object.keys(metadata).length === 0) return {}
  const text = JSON.stringify(metadata).replaceAll(
    /[\u007f-\uffff]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
  return { 'x-gateway-metadata': text }
}

/**
 * Whether an input guardrail changed the request. The log then contains the changed text, unless it keeps originals.
 */
function isRedacted(results: Json | undefined): boolean {
  const before = isObject(results) ? results.before_request_hooks : null
  return Array.isArray(before) && before.some((hook) => isObject(hook) && hook.transformed === true)
}
