/** A running gateway whose data is kept or read: calls of its API that must succeed. */
import { formOf } from '../plugins/batches/fixtures.ts'

export type Json = Record<string, unknown>

export interface Client {
  url: string
  /** The same client with another key. */
  as(key: string): Client
  /** The JSON of the answer. Throws unless the status is the expected one, 200 by default. */
  get(path: string): Promise<Json>
  post(path: string, body?: unknown, options?: CallOptions): Promise<Json>
  put(path: string, body: unknown): Promise<Json>
  delete(path: string): Promise<Json>
  upload(content: string, purpose: string): Promise<Json>
  text(path: string): Promise<string>
}

interface CallOptions {
  headers?: Record<string, string>
  status?: number
}

export function clientOf(url: string, key: string): Client {
  async function call(
    method: string,
    path: string,
    { body, headers = {}, status = 200 }: CallOptions & { body?: unknown } = {},
  ) {
    const isForm = body instanceof FormData
    const type = body === undefined || isForm ? {} : { 'content-type': 'application/json' }
    const response = await fetch(url + path, {
      method,
      headers: { 'x-gateway-api-key': key, connection: 'close', ...type, ...headers },
      ...(body === undefined ? {} : { body: isForm ? body : JSON.stringify(body) }),
    })
    const text = await response.text()
    if (response.status !== status) throw new Error(`${method} ${path} returned ${response.status}: ${text}`)
    return text
  }
  const json = async (...sent: Parameters<typeof call>) => JSON.parse((await call(...sent)) || '{}') as Json
  return {
    url,
    as: (other) => clientOf(url, other),
    get: (path) => json('GET', path),
    post: (path, body, options) => json('POST', path, { body, ...options }),
    put: (path, body) => json('PUT', path, { body }),
    delete: (path) => json('DELETE', path),
    upload: (content, purpose) => json('POST', '/v1/files', { body: formOf(content, { purpose }) }),
    text: (path) => call('GET', path),
  }
}

export const dataOf = (list: Json): Json[] => (Array.isArray(list.data) ? (list.data as Json[]) : [])
