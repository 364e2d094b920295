/**
 * `@gateway/flow`: what flows through the pipeline, and the interfaces that stages, endpoints and rooms share: the
 * phases of a request, the answer, stages and their lists, the gateway's headers, the settings, and the ports of the
 * runtime. No I/O.
 */
export {
  type Answer,
  type AnswerStream,
  type CacheStatus,
  createAnswer,
  faultAnswer,
  havePassed,
  nodeFault,
  noRetryHeaders,
  originOf,
  originOfNode,
  type SharedStream,
  statusOf,
  targetFault,
} from './answer.ts'
export { atMost } from './at-most.ts'
export type { AttemptFault, AttemptOutcome, AttemptReport } from './attempt-report.ts'
export type { Balancer, TargetLoad } from './balancer.ts'
export type {
  BreakerSettings,
  Breakers,
  CircuitBreaker,
  CircuitState,
  HostKind,
  Outcome,
  TargetSubject,
  Verdict,
} from './breaker.ts'
export {
  type BufferBudget,
  createBufferBudget,
  type HeldBuffer,
  isOverload,
  RequestBuffers,
  uncounted,
} from './buffer-budget.ts'
export type { Caller, Callers, KnownCaller } from './caller.ts'
export { type Cancellation, Canceller, cancellationOf, HedgeLost, hasLost } from './cancellation.ts'
export type {
  Capacity,
  Hold,
  LimitAnswer,
  LimitMeasure,
  Need,
  Place,
  Seat,
  SentMark,
  TargetCapacity,
  Ticket,
  Waited,
  WaitOutcome,
  WaitQueue,
} from './capacity.ts'
export type { CompileContext, HookContext, HostRules } from './compile-context.ts'
export type {
  ConfigNode,
  CustomHost,
  Hedge,
  LoadBalance,
  Query,
  QuerySubject,
  QueueSettings,
  ResolvedTarget,
  Retry,
  Rollout,
  SavedConfig,
  Shadow,
  Strategy,
  StreamClocks,
} from './config-node.ts'
export type { Cost } from './cost.ts'
export type { Endpoint, ListedEndpoint } from './endpoint.ts'
export {
  changeInput,
  createExchange,
  type Input,
  knownText,
  noAttempt,
  type RequestContext,
  required,
} from './exchange.ts'
export { idHeaders, idMembers, readAgentIds } from './headers/agent-sessions.ts'
export { finalBody, finalFailure } from './headers/agents.ts'
export { cookieOf } from './headers/cookies.ts'
export { checkForwardedName, copyHeaders, ownNames, passHeaders, tellsLimits } from './headers/forwarding.ts'
export { type Claim, claimOf, gatewayKeyOf, presentedOf } from './headers/presented.ts'
export {
  bearerOf,
  collectOwnHeaders,
  type GatewayOptions,
  headerError,
  headerParam,
  readGatewayHeaders,
  scrubHeaders,
} from './headers/request-headers.ts'
export {
  type CheckResult,
  type CompiledCheck,
  type CompiledHook,
  type Feedback,
  type HookResult,
  type MandatoryHooks,
  phaseName,
} from './hook-result.ts'
export {
  type Attempt,
  appended,
  createLedger,
  elapsedMs,
  keepsCheckState,
  type LateHook,
  type Ledger,
  lastAttempt,
  nodePath,
  type RateReading,
  recordDecision,
  type SentStream,
  type SentText,
  type ShadowDraw,
  type UsageCost,
} from './ledger.ts'
export type {
  CompiledLimit,
  LimitSet,
  LimitTable,
  Policy,
  PolicySubject,
  PolicyTargetSubject,
} from './limits.ts'
export { type List, nodeStages, stages } from './list.ts'
export type { InFlight, InFlightKind, TokenReport } from './metrics.ts'
export {
  type Admitted,
  type Answered,
  type Authenticated,
  answered,
  authenticated,
  type CallerTarget,
  callerOf,
  copyOf,
  type Ended,
  ended,
  type Found,
  type FoundRoute,
  found,
  innerCall,
  type OpenTarget,
  type Received,
  type Resolved,
  type Routed,
  resolved,
  routed,
  type Scrubbed,
  scrubbed,
  streamTotalMs,
  type Targeted,
  targeted,
} from './phases.ts'
export type { CustomProviderFactory, DisabledPlugin, PackageInfo, PackageKind, Registry } from './registry.ts'
export type { ResponseOwner, ResponseStore } from './response-store.ts'
export type {
  CallerPorts,
  CheckPorts,
  LimitPorts,
  Ports,
  ReportPorts,
  RequestLine,
  RoomPorts,
  RoutingPorts,
  Runtime,
  SemanticAnswers,
  ServicePorts,
} from './runtime.ts'
export type {
  DataPlane,
  KeyDefaults,
  SemanticCache,
  Settings,
  WindowSize,
  Workspace,
} from './settings.ts'
export type { SharedAnswer, SharedCall, SingleFlight } from './single-flight.ts'
export { sleep } from './sleep.ts'
export type { Next, Run, Stage, WithSetting } from './stage.ts'
export type { StoredProvider } from './stored-provider.ts'
export type { Stores } from './stores.ts'
export { beginTrace, createSpanId, noteStep, readTraceParent, traceParentOf } from './trace.ts'
export type {
  AnswerHead,
  ClientSession,
  RawBody,
  RequestOrigin,
  SourceText,
  StreamEnding,
  Transport,
} from './transport.ts'
export type { HostCheck, OutboundCalls, UpstreamAnswer, UpstreamBody, UpstreamCalls } from './upstream.ts'
export { afterAll, allOf, andThen, andThenOr, type MaybePromise } from './waiting.ts'
