/**
 * A gateway with its store in memory, and calls of its management API. Every answer is validated against the OpenAPI
 * document that the gateway serves.
 */
import type { StoredDocument } from '@gateway/contract'
import { adminKey, startGateway, type TestGateway } from './gateway.ts'
import { type AnswerChecker, createAnswerChecker, objectOf } from './openapi.ts'
import { createPeople, type People } from './people.ts'

export interface ManagementReply {
  status: number
  headers: Headers
  text: string
  /** Parsed; empty when it is no JSON object. */
  body: Record<string, unknown>
  /** The items of a list; empty for other answers. */
  data: Record<string, unknown>[]
  error: {
    message?: string
    type?: string
    param?: string | null
    code?: string
    details?: { param: string; code: string; message: string }[]
  }
}

/** Headers in addition to the credential. */
type Sent = Record<string, string>

export interface Management {
  gateway: TestGateway
  people: People
  call(
    method: string,
    path: string,
    options?: { body?: unknown; headers?: Sent | undefined },
  ): Promise<ManagementReply>
  get(path: string, headers?: Sent): Promise<ManagementReply>
  post(path: string, body?: unknown, headers?: Sent): Promise<ManagementReply>
  put(path: string, body?: unknown, headers?: Sent): Promise<ManagementReply>
  patch(path: string, body?: unknown, headers?: Sent): Promise<ManagementReply>
  delete(path: string, body?: unknown, headers?: Sent): Promise<ManagementReply>
  /** The same calls with another credential; null: none. */
  as(credential: string | null): Management
  /** The newest audit records first. */
  audit(query?: string): Promise<Record<string, unknown>[]>
  /** A stored document. */
  stored(kind: string, id: string): Promise<StoredDocument | null>
}

/** Schemas take longer to compile than most tests run, and few gateways of a test run serve documents that differ. */
const checkersByConfig = new Map<string, AnswerChecker>()
const checkersByDocument = new Map<string, AnswerChecker>()

async function checkerOf(gateway: TestGateway, config: Record<string, unknown>): Promise<AnswerChecker> {
  // The ports of a test's own servers are in no document.
  const key = JSON.stringify(config).replaceAll(/(127\.0\.0\.1|localhost):\d+/g, '$1')
  const known = checkersByConfig.get(key)
  if (known !== undefined) return known
  const text = await (await fetch(`${gateway.url}/v1/openapi.json`)).text()
  const checker = checkersByDocument.get(text) ?? createAnswerChecker(objectOf(JSON.parse(text)))
  checkersByConfig.set(key, checker)
  checkersByDocument.set(text, checker)
  return checker
}

/** Opens a gateway before the tests of this block and closes it after. */
export function openManagement(config: Record<string, unknown> = {}): Management {
  const opened: { gateway?: TestGateway; checker?: AnswerChecker } = {}
  before(async () => {
    opened.gateway = await startGateway(config)
    opened.checker = await checkerOf(opened.gateway, config)
  })
  after(async () => {
    await opened.gateway?.stop()
    // Mocha keeps what this block has made until its process ends.
    delete opened.gateway
    delete opened.checker
  })
  const gateway = (): TestGateway => {
    if (opened.gateway === undefined) throw new Error('The gateway opens before the tests, not before that.')
    return opened.gateway
  }
  return managementOf(gateway, () => opened.checker, adminKey)
}

function managementOf(
  gateway: () => TestGateway,
  checker: () => AnswerChecker | undefined,
  credential: string | null,
): Management {
  const auth: Sent = credential === null ? {} : { 'x-gateway-api-key': credential }

  async function call(
    method: string,
    path: string,
    { body, headers = {} }: { body?: unknown; headers?: Sent | undefined } = {},
  ) {
    const hasBody = body !== undefined
    const response = await fetch(gateway().url + path, {
      method,
      headers: { ...auth, ...(hasBody ? { 'content-type': 'application/json' } : {}), ...headers },
      ...(hasBody ? { body: typeof body === 'string' ? body : JSON.stringify(body) } : {}),
    })
    const reply = await readManagementReply(response)
    const contentType = response.headers.get('content-type')
    checker()?.check({ method, path, status: reply.status, contentType, text: reply.text })
    return reply
  }

  return {
    get gateway() {
      return gateway()
    },
    people: createPeople(() => gateway().runtime.store.documents),
    call,
    get: (path, headers) => call('GET', path, { headers }),
    post: (path, body, headers) => call('POST', path, { body, headers }),
    put: (path, body, headers) => call('PUT', path, { body, headers }),
    patch: (path, body, headers) => call('PATCH', path, { body, headers }),
    delete: (path, body, headers) => call('DELETE', path, { body, headers }),
    as: (other) => managementOf(gateway, checker, other),
    async audit(query = '') {
      const { data } = await managementOf(gateway, checker, adminKey).get(`/v1/audit-logs?${query}`)
      return data
    },
    stored: (kind, id) => gateway().runtime.store.documents.get(kind, id),
  }
}

async function readManagementReply(response: Response): Promise<ManagementReply> {
  const text = await response.text()
  const parsed: unknown = text.startsWith('{') ? JSON.parse(text) : {}
  const body = parsed as Record<string, unknown>
  return {
    status: response.status,
    headers: response.headers,
    text,
    body,
    data: (Array.isArray(body.data) ? body.data : []) as Record<string, unknown>[],
    error: (body.error ?? {}) as ManagementReply['error'],
  }
}
