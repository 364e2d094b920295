/** The parts of a runtime that need only the stores and the process's log. Each reports its errors to the log. */
import { faultReason } from '@gateway/contract'
import type { Runtime } from '@gateway/flow'
import { createBreakers, createLimitRegistry } from '@gateway/routing'
import { createLogQueue, emitEvent, type Metrics } from '../observability/index.ts'
import { createKeySets, createSecretValues, type MasterSealer, openIdentities } from '../tenancy/index.ts'
import type { GatewayOptions } from './gateway-options.ts'
import type { GatewayRuntime } from './gateway-runtime.ts'
import type { OpenPorts } from './open-ports.ts'

export interface Opening {
  readonly store: OpenPorts
  readonly log: GatewayOptions['log']
  readonly current: GatewayRuntime['current']
  /** Returns the runtime, which exists only after its parts are open. They call this when they are used. */
  readonly runtime: () => Pick<GatewayRuntime, 'inFlight' | 'log' | 'registry' | 'services'>
}

/** How long to wait for another process's answer: through Postgres, messages take up to half a second each way. */
const learnCircuitsMs = 2000

const learnMs = ({ isShared }: OpenPorts): number => (isShared ? learnCircuitsMs : 0)

/** Circuit breakers, whose changes are events. */
export const openBreakers = ({ store, log, runtime }: Opening) =>
  createBreakers({
    shared: store.shared,
    learnMs: learnMs(store),
    reportFault: (error) =>
      log.warn({ reason: faultReason(error) }, 'failed to share the state of a circuit breaker'),
    changed: (subject, event) => {
      const { provider, model, hostKind, organisationId, workspaceIds } = subject
      const data = { provider, model, host_kind: hostKind, state: event === 'opened' ? 'open' : 'closed' }
      const place = { organisation_id: organisationId, workspace_id: workspaceIds[0] ?? null }
      emitEvent(runtime(), { type: `breaker.${event}`, ...place, data })
    },
  })

/** The remaining limits of providers, and the requests that wait for capacity. */
export const openCapacity = ({ store, log, current }: Opening) =>
  createLimitRegistry({
    shared: store.shared,
    learnMs: learnMs(store),
    maxWaiting: () => current.settings.file.server.max_waiting_requests,
    reportFault: (error) =>
      log.warn({ reason: faultReason(error) }, 'failed to share the remaining provider limits'),
  })

/** The cache of answers. On Redis, its store also contains stored responses, under other keys. */
export const openAnswers = ({ store: { kv } }: Opening): Runtime['answers'] => ({
  get: (key) => kv.get(`answers:${key}`),
  set: (key, text, ttlMs) => kv.set(`answers:${key}`, text, ttlMs),
})

/** Values of secret references. */
export const openSecretValues = ({ store, log, current, runtime }: Opening, sealer: MasterSealer) =>
  createSecretValues({
    documents: store.documents,
    sealer,
    managers: () => runtime().registry.secretManagers,
    io: (signal) => ({
      signal,
      now: () => Date.now(),
      fetch: (request) => current.settings.outbound.fetch(request, signal),
      isTrusted: (url) => current.settings.guard.isTrusted(url),
    }),
    now: () => Date.now(),
    report: (record, message) => log.warn(record, message),
  })

/** The queue of log entries that are written to the store. */
export const openLogs = ({ store, log }: Opening, metrics: Metrics) =>
  createLogQueue({
    log: store.log,
    dropped: (count) => metrics.droppedLogs.inc({}, count),
    warn: (entries) => log.warn({ entries }, 'log entries dropped: the store did not accept them in time'),
    report: (error) =>
      log.warn({ reason: faultReason(error) }, 'failed to write log entries; they stay queued'),
  })

/** Signing keys of identity providers. */
export const openKeySets = ({ current }: Opening) =>
  createKeySets({ fetch: (request) => current.settings.outbound.fetch(request), now: () => Date.now() })

/** Authenticates callers. */
export const openCallers = (
  { store, log, current }: Opening,
  keys: Pick<GatewayRuntime, 'adminKeys' | 'keySets'>,
) =>
  openIdentities({
    documents: store.documents,
    ...keys,
    current,
    report: (error) => log.warn({ reason: faultReason(error) }, 'failed to cache an identity'),
  })
