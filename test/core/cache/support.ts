/** Shared by the cache tests: cached configs, and the cache status of an answer. */
import { createHash } from 'node:crypto'
import { configHeader, target } from '../../support/gateway.ts'

export const chatPath = '/v1/chat/completions'

/** A header with a cached leaf. */
export const cached = (url: string, extra: Record<string, unknown> = {}) =>
  configHeader({ ...target(url), cache: { mode: 'simple' }, ...extra })

export const statusOf = (response: Response): string | null => response.headers.get('x-gateway-cache-status')

/** Reads the answer to its end, and returns its cache status. */
export async function cacheStatus(asked: Promise<Response>): Promise<string | null> {
  const response = await asked
  await response.arrayBuffer()
  return statusOf(response)
}

export const hashOf = (key: string): string => `sha256:${createHash('sha256').update(key).digest('hex')}`
