/** The context of a secret manager: real calls through the gateway's own client, to servers on loopback. */

import { isGatewayError, type JsonObject, type ProviderIo, type SecretManager } from '@gateway/contract'
import { createHostGuard } from '#upstream/host-guard'
import { createOutbound } from '#upstream/outbound'
import { createValidator } from '#validation/validate'
import { type Handler, openUpstream, type Upstream } from '../../support/upstream.ts'

const nowMs = Date.UTC(2026, 0, 2, 3, 4, 5)

export interface Reach extends ProviderIo {
  /** Turns the clock on. */
  pass(ms: number): void
  close(): void
}

/** @param trustedHosts as `security.trusted_hosts` lists them */
export function createReach(trustedHosts: readonly string[] = ['127.0.0.1']): Reach {
  const guard = createHostGuard({ trustedHosts })
  const outbound = createOutbound(guard)
  const { signal } = new AbortController()
  let time = nowMs
  return {
    signal,
    now: () => time,
    fetch: (request) => outbound.fetch(request, signal),
    isTrusted: guard.isTrusted,
    pass(ms) {
      time += ms
    },
    close: outbound.close,
  }
}

/** The result of a fetch: the text, `nothing`, or the error's code and message. */
export async function outcomeOf(work: Promise<string | null>): Promise<string> {
  try {
    return (await work) ?? 'nothing'
  } catch (error) {
    if (isGatewayError(error)) return `${error.code}: ${error.message}`
    throw error
  }
}

/** JSON paths of missing and superfluous members of an `auth_config`; empty if it is valid. */
export function faultsIn(manager: SecretManager, authConfig: JsonObject): string[] {
  const errors = createValidator(manager.authConfig)(authConfig) ?? []
  return [
    ...new Set(
      errors
        .filter(({ keyword }) => keyword !== 'if')
        .map(({ instancePath, params }) => {
          const name = params.missingProperty ?? params.additionalProperty
          return name === undefined ? instancePath : `${instancePath}/${name}`
        }),
    ),
  ].sort()
}

export interface Stage {
  server: Upstream
  io: Reach
}

/** A server that plays the manager, and a gateway's way to it, for each test of this block. */
export function openStage(handler: Handler): Stage {
  const stage = {} as Stage
  beforeEach(async () => {
    stage.server = await openUpstream(handler)
    stage.io = createReach()
  })
  afterEach(async () => {
    stage.io.close()
    await stage.server.close()
  })
  return stage
}
