/**
 * Calls a running gateway like any client. Its address and key come from the options and the environment of a command.
 */
import { isObject, type JsonObject, parseJson } from '@gateway/contract'
import { reachableHost } from './probe.ts'
import { type Terminal, UsageError } from './terminal.ts'

export interface GatewayClient {
  /** The address without a trailing slash. */
  url: string
  key: string
  /** Id or slug from `--workspace`. */
  workspace: string | undefined
  /** Sent with every call. */
  headers: Readonly<Record<string, string>>
}

/** Options of commands that call a gateway. */
export const clientOptions = {
  url: { type: 'string' },
  workspace: { type: 'string' },
  json: { type: 'boolean' },
} as const

export const clientHelp = [
  ['--url URL', 'the gateway (GATEWAY_URL; default: http://GATEWAY_HOST:GATEWAY_PORT)'],
  ['--workspace SLUG', 'the workspace, for a key that is bound to none'],
  ['--json', 'JSON lines, the default when the output is not a terminal'],
] as const

/** An error whose message is for people; the exit code is 1. */
export class CallFailure extends Error {
  /** The status; null if no answer arrived. */
  readonly status: number | null
  constructor(message: string, status: number | null) {
    super(message)
    this.status = status
  }
}

const timeoutMs = 120_000

export function openClient(
  { url, workspace }: { url?: string; workspace?: string },
  { environment }: Pick<Terminal, 'environment'>,
): GatewayClient {
  const written = url ?? (environment.GATEWAY_URL || ownUrl(environment))
  if (!URL.canParse(written) || !/^https?:/.test(written))
    throw new UsageError('--url (or GATEWAY_URL) must be an http(s) URL.')
  const key = environment.GATEWAY_KEY || environment.GATEWAY_ADMIN_KEY
  if (key === undefined || key === '')
    throw new UsageError('No key: set GATEWAY_KEY (or GATEWAY_ADMIN_KEY) in the environment.')
  const headers = workspace === undefined ? {} : { 'x-gateway-workspace-id': workspace }
  return { url: written.replace(/\/+$/, ''), key, workspace, headers }
}

interface Message {
  headers: Readonly<Record<string, string>>
  body: JsonObject
}

/** The address on which a gateway with the same environment listens. */
function ownUrl({ GATEWAY_HOST, GATEWAY_PORT }: Terminal['environment']): string {
  const host = reachableHost(GATEWAY_HOST || '127.0.0.1')
  return `http://${host.includes(':') ? `[${host}]` : host}:${GATEWAY_PORT || '8787'}`
}

/** The JSON object of an answer, which may contain a JSON-RPC error. Errors: {@link CallFailure}. */
export async function callGateway(
  { url, key, headers }: GatewayClient,
  path: string,
  message?: Message,
): Promise<JsonObject> {
  const { status, text } = await send(url, path, {
    method: message === undefined ? 'GET' : 'POST',
    redirect: 'error',
    signal: AbortSignal.timeout(timeoutMs),
    headers: {
      'x-gateway-api-key': key,
      accept: 'application/json',
      ...headers,
      ...(message === undefined ? {} : { 'content-type': 'application/json', ...message.headers }),
    },
    ...(message === undefined ? {} : { body: JSON.stringify(message.body) }),
  })
  const parsed = parseJson(text)
  if (!isObject(parsed)) throw new CallFailure(`${url}${path} answered ${status} without JSON.`, status)
  const { error, jsonrpc } = parsed
  if (status >= 400 && jsonrpc === undefined) {
    const said = isObject(error) && typeof error.message === 'string' ? error.message : 'The gateway refused.'
    throw new CallFailure(`${said} (${status})`, status)
  }
  return parsed
}

async function send(
  url: string,
  path: string,
  request: RequestInit,
): Promise<{ status: number; text: string }> {
  try {
    const response = await fetch(url + path, request)
    return { status: response.status, text: await response.text() }
  } catch (error) {
    const cause = error instanceof Error && error.cause instanceof Error ? `: ${error.cause.message}` : ''
    throw new CallFailure(
      `The gateway at ${url} cannot be reached${cause}. Is it running? Name another with --url or GATEWAY_URL.`,
      null,
    )
  }
}

/** The interval for polling work that a command follows. */
export const pollMs = 1000
/** The number of polls in a row that may fail, because the gateway may restart meanwhile. */
const mostFailures = 60

/** Whether an error is temporary: the gateway is restarting or busy. */
const isPassing = (error: unknown): boolean =>
  error instanceof CallFailure && (error.status === null || error.status === 429 || error.status >= 500)

/** Polls work that a command follows. Errors: {@link CallFailure}, if the gateway stays unreachable. */
export async function callPatiently(client: GatewayClient, path: string): Promise<JsonObject> {
  for (let failures = 1; ; failures += 1) {
    try {
      return await callGateway(client, path)
    } catch (error) {
      if (!isPassing(error) || failures >= mostFailures) throw error
    }
    await new Promise((resolve) => setTimeout(resolve, pollMs))
  }
}
