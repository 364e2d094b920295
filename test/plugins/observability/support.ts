/** A management API with calls in its log. */
import { chat } from '../../support/gateway.ts'
import type { Management } from '../../support/management.ts'

export interface Called {
  status: number
  id: string
  traceId: string
  body: Record<string, unknown>
}

interface CallEchoOptions {
  body?: unknown
  path?: string
}

/** An inference call to the embedded provider, and its entry written. */
export async function callEcho(
  api: Management,
  headers: Record<string, string> = {},
  { body = chat('hello'), path = '/v1/chat/completions' }: CallEchoOptions = {},
): Promise<Called> {
  const { gateway } = api
  const response = await fetch(gateway.url + path, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'x-gateway-api-key': 'test-admin-key-0123456789',
      'x-gateway-provider': 'echo',
      ...headers,
    },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  })
  const text = await response.text()
  // The entry is written behind the answer.
  await new Promise((resolve) => setImmediate(resolve))
  await gateway.runtime.logs.flush()
  return {
    status: response.status,
    id: response.headers.get('x-request-id') ?? '',
    traceId: response.headers.get('x-gateway-trace-id') ?? '',
    body: text.startsWith('{') ? JSON.parse(text) : {},
  }
}
