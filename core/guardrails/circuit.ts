/**
 * Circuit breakers of the services that checks call, one per origin: only a few requests wait for a vendor that is
 * down. Errors: `circuit_open`.
 */
import { isGatewayError } from '@gateway/contract'
import type { Ports, Received } from '@gateway/flow'

const settings = { failure_threshold: 5, cooldown_interval: 30_000 }

type Settled<T> = { value: T } | { error: unknown }

interface ThroughCircuitOptions<T extends { status: number }> {
  url: string
  limit: AbortSignal
  call: () => Promise<T>
}

/**
 * Makes a call unless its origin's circuit is open. A call cancelled by a client disconnect is not a failure of the
 * service.
 */
export async function throughCircuit<T extends { status: number }>(
  ports: Ports<'breakers'>,
  exchange: Received,
  { url, limit, call }: ThroughCircuitOptions<T>,
): Promise<T> {
  const origin = URL.canParse(url) ? new URL(url).origin : url
  const circuit = ports.breakers.get(`check|${origin}`, settings)
  const settled = await circuit.run<Settled<T>>(async () => {
    try {
      const value = await call()
      return { value: { value }, failed: value.status >= 500 }
    } catch (error) {
      return { value: { error }, failed: isOutage(error, exchange.leaving.signal, limit) ? true : 'ignored' }
    }
  })
  if ('error' in settled) throw settled.error
  return settled.value
}

const isOutage = (error: unknown, caller: AbortSignal, limit: AbortSignal): boolean =>
  !caller.aborted && (limit.aborted || (isGatewayError(error) && error.code === 'dependency_unavailable'))
