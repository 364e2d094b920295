/** An upstream's HTTP error instead of an MCP message, sometimes with a JSON-RPC error in it. */
import {
  GatewayError,
  isDeeperThan,
  isObject,
  type JsonObject,
  parseJson,
  type UpstreamStream,
} from '@gateway/contract'
import { maxDepth } from '../messages.ts'
import { readAll } from './read-all.ts'

/** Errors: `upstream_unreachable` for 5xx, otherwise `upstream_invalid_response`. */
export class UpstreamRefusal extends GatewayError {
  /** The HTTP status from the upstream. */
  readonly upstreamStatus: number
  /** The JSON-RPC error in its body, or null. */
  readonly rpcError: JsonObject | null

  constructor(upstreamStatus: number, rpcError: JsonObject | null = null) {
    super(
      upstreamStatus >= 500 ? 'upstream_unreachable' : 'upstream_invalid_response',
      messageOf(upstreamStatus),
    )
    this.upstreamStatus = upstreamStatus
    this.rpcError = rpcError
  }
}

function messageOf(status: number): string {
  if (status >= 500) return `The MCP server answered with status ${status}.`
  if (status >= 300 && status < 400)
    return 'The MCP server answered with a redirect, which the gateway does not follow. Set the final URL in the integration.'
  return `The MCP server refused the call with status ${status}.`
}

const maxBytes = 1_048_576

/** Reads the body of a refusal, which may contain a JSON-RPC error. */
export async function readRefusal(answer: UpstreamStream): Promise<UpstreamRefusal> {
  const { status, headers } = answer
  const isMessage =
    status >= 400 && status < 500 && /^application\/json\b/i.test(headers['content-type'] ?? '')
  if (!isMessage) {
    answer.dump()
    return new UpstreamRefusal(status)
  }
  const parsed = parseJson((await readAll(answer.body, maxBytes)).toString('utf8'))
  const isError = isObject(parsed) && isObject(parsed.error) && !isDeeperThan(parsed, maxDepth)
  return new UpstreamRefusal(status, isError ? parsed : null)
}
