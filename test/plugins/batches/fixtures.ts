/** Files and batches over HTTP, for tests. */
import { adminKey, type TestGateway } from '../../support/gateway.ts'
import { type RequestLine, readRequestLine } from '../../support/request-line.ts'

export type Json = Record<string, unknown>

export interface Reply {
  status: number
  headers: Headers
  body: Json & { error?: { code: string; param: string | null; message: string }; data?: Json[] }
}

export const auth = { 'x-gateway-api-key': adminKey }

export async function ask(
  gateway: Pick<TestGateway, 'url'>,
  line: RequestLine,
  { headers = {}, body }: { headers?: Record<string, string>; body?: unknown } = {},
): Promise<Reply> {
  const { method, path } = readRequestLine(line)
  const isForm = body instanceof FormData
  const answer = await fetch(gateway.url + path, {
    method,
    headers: {
      ...auth,
      ...(body === undefined || isForm ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: body instanceof FormData ? body : JSON.stringify(body) }),
  })
  const text = await answer.text()
  return { status: answer.status, headers: answer.headers, body: text === '' ? {} : JSON.parse(text) }
}

/** A key of the default workspace that may send inference requests. */
export async function makeKey(
  gateway: Pick<TestGateway, 'url'>,
  settings: Json = {},
): Promise<{ id: string; key: string }> {
  const { status, body } = await ask(gateway, 'POST /v1/api-keys/workspace/service', {
    body: { name: 'of a test', workspace_id: 'default', scopes: ['completions.write'], ...settings },
  })
  if (status !== 200) throw new Error(`no key was made: ${JSON.stringify(body)}`)
  return { id: String(body.id), key: String(body.key) }
}

/** The usage of a key's usage limit. */
export async function usageOfKey(gateway: Pick<TestGateway, 'url'>, id: string): Promise<unknown> {
  const { body } = await ask(gateway, `GET /v1/api-keys/${id}`)
  return (body.usage_limits as Json).current_usage
}

/** The answer of a provider of messages. */
export const messageAnswer =
  (text: string, input_tokens: number, output_tokens: number) =>
  ({ model }: Json): { status: number; body: Json } => ({
    status: 200,
    body: {
      id: 'msg_1',
      type: 'message',
      role: 'assistant',
      model,
      content: [{ type: 'text', text }],
      stop_reason: 'end_turn',
      stop_sequence: null,
      usage: { input_tokens, output_tokens },
    },
  })

export interface AnswerGate {
  /** Keeps answers back until the returned function is called. */
  hold(): () => void
  /** Resolves when the answers may be sent; null while no answer is held back. */
  opened: Promise<void> | null
}

/** The gate of an upstream whose answers a test holds back. */
export function answerGate(): AnswerGate {
  const gate: AnswerGate = {
    opened: null,
    hold() {
      let open: () => void = () => undefined
      gate.opened = new Promise((resolve) => {
        open = resolve
      })
      return () => {
        open()
        gate.opened = null
      }
    },
  }
  return gate
}

export interface UploadOptions {
  purpose?: string | null
  name?: string
  headers?: Record<string, string>
  fields?: Record<string, string>
  /** Whether the fields come after the file. */
  isFileFirst?: boolean
}

export function formOf(content: string | Uint8Array | null, options: UploadOptions = {}): FormData {
  const { purpose = 'batch', name = 'input.jsonl', fields = {}, isFileFirst = false } = options
  const form = new FormData()
  const addFile = () => {
    if (content !== null)
      form.append('file', new Blob([typeof content === 'string' ? content : Buffer.from(content)]), name)
  }
  if (isFileFirst) addFile()
  if (purpose !== null) form.append('purpose', purpose)
  for (const [field, value] of Object.entries(fields)) form.append(field, value)
  if (!isFileFirst) addFile()
  return form
}

export const upload = (
  gateway: Pick<TestGateway, 'url'>,
  content: string | Uint8Array | null,
  options: UploadOptions = {},
): Promise<Reply> =>
  ask(gateway, 'POST /v1/files', {
    body: formOf(content, options),
    ...(options.headers === undefined ? {} : { headers: options.headers }),
  })

export async function download(
  gateway: Pick<TestGateway, 'url'>,
  path: string,
  headers: Record<string, string> = {},
): Promise<{ status: number; headers: Headers; text: string }> {
  const answer = await fetch(gateway.url + path, { headers: { ...auth, ...headers } })
  return { status: answer.status, headers: answer.headers, text: await answer.text() }
}
