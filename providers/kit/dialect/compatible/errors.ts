/**
 * Error bodies of compatible providers. Apart from the format's own `{error: {message, type, param, code}}`,
 * providers send `{error: "text"}`, `{error: {…}, message}`, `{message}`, `{detail}` (text, or a list of `{loc, msg}`
 * as in FastAPI), `{object: "error", message}` and `{errors: [{message}]}`.
 * Reference: https://platform.openai.com/docs/guides/error-codes
 */
import {
  isObject,
  type Json,
  type JsonObject,
  type StreamEvent,
  type UpstreamError,
  UpstreamFault,
} from '@gateway/contract'
import { withContextLength } from '../../context-length.ts'

/** Reads an error body in the compatible format or one of its variants; null when it has none of them. */
export function compatibleError(status: number, body: JsonObject): UpstreamError | null {
  const source = isObject(body.error) ? body.error : body
  const message = messageOf(source) ?? messageOf(body)
  if (message === null) return null
  return withContextLength({
    status,
    message,
    type: text(source.type) ?? 'upstream_error',
    param: text(source.param),
    code: codeOf(source.code) ?? 'upstream_error',
  })
}

/** The error in a stream event or in an answer with status 200; null when it contains none. */
export function compatibleFault(body: JsonObject, event: StreamEvent['event'] = null): UpstreamFault | null {
  const { error } = body
  const isError = event === 'error' || body.object === 'error' || isObject(error)
  if (!isError && (typeof error !== 'string' || error === '')) return null
  const status = statusOf(isObject(error) ? error : body)
  const blank = { status, type: 'upstream_error', param: null, code: 'upstream_error' }
  const message = 'The provider answered with an error.'
  return new UpstreamFault(compatibleError(status, body) ?? { ...blank, message })
}

/** Some providers send an HTTP status as `code` or `status`. */
function statusOf({ status, code }: JsonObject): number {
  const named = [status, code].find((value) => typeof value === 'number' && value >= 400 && value <= 599)
  return typeof named === 'number' ? named : 502
}

function messageOf(source: JsonObject): string | null {
  return (
    text(source.message) ??
    text(source.error) ??
    messageOfDetail(source.message) ??
    messageOfDetail(source.detail) ??
    messageOfDetail(source.errors) ??
    text(source.msg)
  )
}

function messageOfDetail(detail: Json | undefined): string | null {
  if (Array.isArray(detail)) {
    const parts = detail.map(messageOfItem).filter((part) => part !== null)
    return parts.length === 0 ? null : parts.join('; ')
  }
  return isObject(detail) ? (messageOf(detail) ?? null) : text(detail)
}

function messageOfItem(item: Json): string | null {
  if (!isObject(item)) return text(item)
  const message = text(item.msg) ?? text(item.message)
  if (message === null || !Array.isArray(item.loc)) return message
  return `${item.loc.join('.')}: ${message}`
}

function codeOf(code: Json | undefined): string | null {
  return typeof code === 'number' ? String(code) : text(code)
}

function text(value: Json | undefined): string | null {
  return typeof value === 'string' && value !== '' ? value : null
}
