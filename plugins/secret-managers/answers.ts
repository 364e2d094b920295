/**
 * Errors of all secret managers. Their own messages are left out, because they may repeat the request. Errors:
 * `dependency_unavailable`.
 */
import {
  GatewayError,
  isGatewayError,
  isObject,
  isUpstreamFault,
  type JsonObject,
  type ProviderFetchAnswer,
} from '@gateway/contract'

/** The answer as a JSON object; an empty object for any other answer. */
export function readObject({ bytes }: Pick<ProviderFetchAnswer, 'bytes'>): JsonObject {
  try {
    const body: unknown = JSON.parse(bytes.toString('utf8'))
    return isObject(body) ? body : {}
  } catch (error) {
    if (error instanceof SyntaxError) return {}
    throw error
  }
}

/** A refusal. `code` is the manager's own error code; the message contains it only if it has the form of a code. */
export function refused(title: string, status: number, code: unknown = null): GatewayError {
  const why = typeof code === 'string' && /^[\w.-]{1,80}$/.test(code) ? `${status}, ${code}` : `${status}`
  return new GatewayError('dependency_unavailable', `${title} refused to give the secret (${why}).`)
}

/** A successful answer without a secret. */
export const unreadable = (title: string) =>
  new GatewayError('dependency_unavailable', `${title} returned an answer that cannot be read.`)

/**
 * Runs a function that gets the manager's credential. A cloud that refuses it also counts as an unavailable dependency.
 */
export async function credentialFor<Value>(title: string, find: () => Promise<Value>): Promise<Value> {
  try {
    return await find()
  } catch (error) {
    if (isUpstreamFault(error)) throw refused(title, error.upstream.status, error.upstream.code)
    if (isGatewayError(error) && error.code !== 'dependency_unavailable') {
      throw new GatewayError('dependency_unavailable', `${title}: ${error.message}`, { cause: error })
    }
    throw error
  }
}
