/** Calls the public management API. The session cookie is the credential; the CSRF token is only kept in memory. */
import type { Answer, Body, Filling, PathOf, QueryValue } from './api-types.ts'

export type Json = string | number | boolean | null | Json[] | { [key: string]: Json }
/** An object whose members are known only to the page. */
export type Row = { [key: string]: unknown }

export interface Fault {
  param: string | null
  message: string
}

declare const answer: unique symbol
/** A path with its parameters and query, and the answer type of its GET. */
export type Url<A> = string & { readonly [answer]?: A }

/** An error answer, or no answer at all (status 0). */
export class ApiError extends Error {
  readonly status: number
  readonly code: string
  readonly faults: readonly Fault[]
  /** The request's trace id in the log; null for an answer without one. */
  readonly traceId: string | null
  constructor(
    status: number,
    code: string,
    {
      message,
      faults,
      traceId = null,
    }: { message: string; faults: readonly Fault[]; traceId?: string | null },
  ) {
    super(message)
    this.traceId = traceId
    this.status = status
    this.code = code
    this.faults = faults
  }
}

let csrfToken: string | null = null
let onSignedOut: () => void = () => undefined

export const setCsrfToken = (token: string | null) => {
  csrfToken = token
}

/** @param listener called when an answer shows that the session has ended */
export const listenSignedOut = (listener: () => void) => {
  onSignedOut = listener
}

export const isRow = (value: unknown): value is Row =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
const textOf = (value: unknown, fallback: string) => (typeof value === 'string' ? value : fallback)

function errorOf(status: number, body: unknown, traceId: string | null): ApiError {
  const error = isRow(body) && isRow(body.error) ? body.error : {}
  const message = textOf(error.message, `The gateway answered with status ${status}.`)
  const details = Array.isArray(error.details) ? error.details.filter(isRow) : []
  const faults = details.map((one) => ({
    param: typeof one.param === 'string' ? one.param : null,
    message: textOf(one.message, message),
  }))
  const param = typeof error.param === 'string' ? error.param : null
  return new ApiError(status, textOf(error.code, 'unknown'), {
    message,
    faults: faults.length > 0 ? faults : [{ param, message }],
    traceId,
  })
}

interface Options {
  signal?: AbortSignal | undefined
  /** Headers in addition to the usual ones. */
  headers?: Record<string, string> | undefined
  /** Whether the caller handles an error with status 401 itself. */
  isSignIn?: boolean | undefined
}

/** Returns the response itself, for callers that stream it. Errors: {@link ApiError}. */
export async function send(
  method: string,
  path: string,
  { body, ...options }: Options & { body?: unknown } = {},
): Promise<Response> {
  const headers: Record<string, string> = { accept: 'application/json', ...options.headers }
  // The browser sets the content type of a form, including its boundary.
  const isForm = body instanceof FormData
  if (body !== undefined && !isForm) headers['content-type'] = 'application/json'
  if (method !== 'GET' && csrfToken !== null) headers['x-gateway-csrf'] = csrfToken
  const tokenBefore = csrfToken
  let response: Response
  try {
    response = await fetch(path, {
      method,
      headers,
      body: body === undefined ? null : isForm ? body : JSON.stringify(body),
      credentials: 'same-origin',
      signal: options.signal ?? null,
    })
  } catch (error) {
    if (options.signal?.aborted === true) throw error
    throw new ApiError(0, 'unreachable', {
      message: 'The gateway cannot be reached. Check the connection and retry.',
      faults: [],
    })
  }
  if (response.ok) return response
  const error = errorOf(
    response.status,
    await response.json().catch(() => null),
    response.headers.get('x-gateway-trace-id'),
  )
  if (response.status === 401 && options.isSignIn !== true) {
    // The user has signed in again since the request was sent: the answer says nothing about the new session.
    if (csrfToken !== null && csrfToken !== tokenBefore) return send(method, path, { body, ...options })
    onSignedOut()
  }
  throw error
}

/** The answer of a GET with its version, for `If-Match`. */
export interface Tagged<A> {
  value: A
  etag: string | null
}

export async function loadTagged<A>(url: Url<A>, options?: Options): Promise<Tagged<A>> {
  const response = await send('GET', url, { ...options })
  return { value: await response.json(), etag: etagOf(response) }
}

/** Returns the answer of a GET. */
export async function load<A>(url: Url<A>, options?: Options): Promise<A> {
  return (await loadTagged(url, options)).value
}

/** A proxy that compresses answers marks their etags as weak, which `If-Match` never matches. */
export const etagOf = (response: Response): string | null =>
  response.headers.get('etag')?.replace(/^W\//, '') ?? null

/** The header that makes a write fail if it would replace a version that its author has not seen. */
export const ifMatch = (etag: string | null): Record<string, string> =>
  etag === null ? {} : { 'if-match': etag }

interface Writes {
  POST: 'post'
  PUT: 'put'
  DELETE: 'delete'
}

type Sent<M extends Writes[keyof Writes], P extends PathOf<M>> = Filling<M, P> &
  Options & { body?: Body<M, P> }

/** Sends a write. The path has the form of the API description: `/v1/configs/{id}/rollback`. */
export async function call<W extends keyof Writes, P extends PathOf<Writes[W]>>(
  method: W,
  path: P,
  sent: Sent<Writes[W], P>,
): Promise<Answer<Writes[W], P>> {
  const { body, path: parameters, query, signal, headers, isSignIn } = sent
  const url = fillIn(path, parameters, query)
  const response = await send(method, url, {
    body: method === 'DELETE' ? undefined : (body ?? {}),
    signal,
    headers,
    isSignIn,
  })
  return response.json()
}

/** The URL of a GET. */
export const urlOf = <P extends PathOf<'get'>>(
  path: P,
  ...[filling]: Record<never, never> extends Filling<'get', P> ? [Filling<'get', P>?] : [Filling<'get', P>]
): Url<Answer<'get', P>> => fillIn(path, filling?.path, filling?.query)

function fillIn(
  path: string,
  parameters: Readonly<Record<string, unknown>> = {},
  query: Readonly<Record<string, QueryValue>> = {},
): string {
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(String(parameters[name])),
  )
  return withQuery(filled, query)
}

/** Adds the query parameters that have a value to a path. */
export function withQuery(path: string, query: Readonly<Record<string, QueryValue>>): string {
  const parameters = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) {
    if (value !== null && value !== undefined && value !== '') parameters.set(name, String(value))
  }
  const text = parameters.toString()
  return text === '' ? path : `${path}${path.includes('?') ? '&' : '?'}${text}`
}
