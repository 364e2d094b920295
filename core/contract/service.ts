/**
 * The contract of a service package: routes outside inference, such as management, and jobs. A package with `"gateway":
 * {"kind": "service", "contract": 1}` default-exports a {@link ServicePlugin}.
 */
import type { EndpointId } from './endpoint.ts'
import type { GatewayError } from './errors.ts'
import type { RequestObserver } from './observer.ts'
import type { Capability, ServiceContext } from './service/context.ts'
import type { EndpointHandler } from './service/endpoint-request.ts'
import type { GatewayEvent, LimitAlert, RefusedToken } from './service/events.ts'
import type { PromptRequest, RenderedPrompt } from './service/inference.ts'
import type { ServiceRequest } from './service/request.ts'
import type { Route } from './service/route.ts'
import type { ShadowedRequest } from './service/shadow.ts'
import type { ContentsContext, StoredContents } from './service/stored-contents.ts'

export type * from './service/context.ts'
export type * from './service/data-path.ts'
export type * from './service/endpoint-request.ts'
export type * from './service/events.ts'
export type * from './service/inference.ts'
export type * from './service/log-service.ts'
export type * from './service/plan.ts'
export type * from './service/request.ts'
export type * from './service/route.ts'
export type * from './service/route-method.ts'
export type * from './service/routing.ts'
export type * from './service/settings.ts'
export type * from './service/shadow.ts'
export type * from './service/stored-contents.ts'
export type * from './service/summaries.ts'

export interface ServicePlugin<Need extends Capability = Capability> {
  name: string
  title: string
  /** The capabilities that the service uses. Its context has no other members. */
  needs: readonly Need[]
  open(context: ServiceContext<Need>): Service | Promise<Service>
  /** The contents that it stores outside the ports, for CLI commands, which do not open the service. */
  contents?(context: ContentsContext): StoredContents
}

/** Declares a service package: `open` gets the capabilities in `needs`, at compile time and at run time. */
export function defineService<const Need extends Capability>(
  plugin: ServicePlugin<Need>,
): ServicePlugin<Need> {
  return plugin
}

export interface Service {
  routes: readonly Route[]
  /** Endpoints that it answers instead of the inference pipeline. */
  endpoints?: Partial<Record<EndpointId, EndpointHandler>>
  jobs?: readonly Job[]
  /** Called for rejected JWTs on any route; rate-limited. */
  refusedToken?(request: ServiceRequest, error: GatewayError, token: RefusedToken): Promise<void>
  /** Called in every process that rereads the config file. The parameter says whether the file was applied. */
  configRead?(isApplied: boolean): Promise<void>
  /** Called when a usage limit reaches its threshold or is exhausted; after the request. */
  limitReached?(alert: LimitAlert): Promise<void>
  /**
   * Renders a prompt that a config's target refers to. Errors: `unknown_prompt`, `invalid_template`,
   * `unsupported_endpoint`.
   */
  renderPrompt?(request: PromptRequest): Promise<RenderedPrompt>
  /** Called for each request that also ran against another config, in the background. */
  shadowed?(request: ShadowedRequest): Promise<void>
  /** Called for events that the core and other services emit. */
  emitted?(event: GatewayEvent): Promise<void>
  /**
   * The observer of requests; null if the service observes none, which costs requests nothing. Read when the service opens and
   * after each `configRead`.
   */
  observer?(): RequestObserver | null
  /** Stops the service's background work; called when the gateway stops, before its stores are closed. */
  close?(): Promise<void>
}

/** Periodic work that runs in one process at a time. */
export interface Job {
  name: string
  intervalMs: number
  /** After this time the running process is considered dead and another one takes over. Default: 5 minutes. */
  longestRunMs?: number
  /** @param nowMs milliseconds since the epoch */
  run(nowMs: number): Promise<void>
}
