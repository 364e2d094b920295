/**
 * The contract of a service package: routes beside inference, such as management, and jobs.
 * A package with `"gateway": {"kind": "service", "contract": 1}` default-exports a {@link ServicePlugin}.
 */
import type { EndpointId } from './endpoint.ts'
import type { GatewayError } from './errors.ts'
import type { RequestObserver } from './observer.ts'
import type { ServiceContext } from './service/context.ts'
import type { EndpointHandler } from './service/endpoint-request.ts'
import type { GatewayEvent, LimitAlert, RefusedToken } from './service/events.ts'
import type { PromptRequest, RenderedPrompt } from './service/inference.ts'
import type { ServiceRequest } from './service/request.ts'
import type { Route } from './service/route.ts'

export type * from './service/context.ts'
export type * from './service/data-path.ts'
export type * from './service/endpoint-request.ts'
export type * from './service/events.ts'
export type * from './service/inference.ts'
export type * from './service/log-service.ts'
export type * from './service/request.ts'
export type * from './service/route.ts'
export type * from './service/route-method.ts'
export type * from './service/routing.ts'
export type * from './service/settings.ts'
export type * from './service/summaries.ts'

export interface ServicePlugin {
  name: string
  title: string
  open(context: ServiceContext): Service | Promise<Service>
}

export interface Service {
  routes: readonly Route[]
  /** Endpoints that it answers in the place of their pipelines. */
  endpoints?: Partial<Record<EndpointId, EndpointHandler>>
  jobs?: readonly Job[]
  /** Hears of JWTs that were refused, on whatever route, but for a flood of them. */
  refusedToken?(request: ServiceRequest, error: GatewayError, token: RefusedToken): Promise<void>
  /** Hears that the config file was read again, and whether it was taken; in every process that reads it. */
  configRead?(isApplied: boolean): Promise<void>
  /** Hears of usage limits whose threshold was reached, or which are used up; behind the request that did it. */
  limitReached?(alert: LimitAlert): Promise<void>
  /** Renders a prompt that a target of a config names. Errors: `unknown_prompt`, `invalid_template`, `unsupported_endpoint`. */
  renderPrompt?(request: PromptRequest): Promise<RenderedPrompt>
  /** Hears of events that the core and other services emit. */
  emitted?(event: GatewayEvent): Promise<void>
  /**
   * Who hears of every request; null for nobody, which costs requests nothing. Asked when the service was opened and after
   * each `configRead`.
   */
  observer?(): RequestObserver | null
  /** Ends what the service runs by itself; called when the gateway stops, before its stores are closed. */
  close?(): Promise<void>
}

/** Work that runs again and again, on one process of all at a time. */
export interface Job {
  name: string
  intervalMs: number
  /** After that the process that runs it is taken for dead, and another one runs it. Default: 5 minutes. */
  longestRunMs?: number
  /** @param nowMs milliseconds since the epoch */
  run(nowMs: number): Promise<void>
}
