/**
 * The result of `open` for a suite: the ports of two processes that share them, or one for an engine of one process.
 */
import { isGatewayError } from '@gateway/contract'

export function pair<Port>(opened: readonly Port[]): [one: Port, other: Port] {
  const [one, other = one] = opened
  if (one === undefined || other === undefined) throw new Error('The engine opened nothing.')
  return [one, other]
}

/** The code of the error with which it rejects; undefined when it resolves. */
export async function codeOf(operation: Promise<unknown>): Promise<string | undefined> {
  return operation.then(
    () => undefined,
    (error: unknown) => (isGatewayError(error) ? error.code : String(error)),
  )
}
