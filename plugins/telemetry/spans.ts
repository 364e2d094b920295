/**
 * A request as spans: one of the kind SERVER, one CLIENT for each call of a provider, an MCP server or an agent, and INTERNAL
 * ones for guardrail checks and looks into the cache. https://opentelemetry.io/docs/specs/semconv/gen-ai/gen-ai-spans/
 */
import type { ObservedAttempt, ObservedRequest, ObservedStep, RequestTrace } from '@gateway/contract'
import {
  type Attributes,
  type HrTime,
  type SpanContext,
  SpanKind,
  type SpanStatus,
  SpanStatusCode,
  TraceFlags,
} from '@opentelemetry/api'
import type { Resource } from '@opentelemetry/resources'
import type { ReadableSpan } from '@opentelemetry/sdk-trace'
import {
  attemptAttributes,
  attemptName,
  callAttributes,
  callName,
  requestAttributes,
  requestName,
  stepAttributes,
  stepName,
} from './attributes.ts'
import { createSpanId } from './span-id.ts'

export const spanCount = ({ attempts, trace }: ObservedRequest): number =>
  1 + attempts.length + (trace === null ? 0 : trace.steps.length + trace.calls.length)

export function spansOf(request: ObservedRequest, resource: Resource): ReadableSpan[] {
  const { trace, attempts, arrivedAt, durationMs } = request
  if (trace === null) return []
  const parent = contextOf(trace, trace.spanId)
  const at = (ms: number) => timeOf(arrivedAt + ms)
  const base = (name: string, startedMs: number, endedMs: number) => ({
    name,
    startTime: at(startedMs),
    endTime: at(Math.max(startedMs, endedMs)),
    duration: timeOf(Math.max(0, endedMs - startedMs)),
    resource,
    ...common,
  })
  const server: ReadableSpan = {
    ...base(requestName(request), 0, durationMs),
    kind: SpanKind.SERVER,
    spanContext: () => parent,
    ...(trace.parentSpanId === null
      ? {}
      : { parentSpanContext: { ...contextOf(trace, trace.parentSpanId), isRemote: true } }),
    attributes: defined(requestAttributes(request)),
    events: [],
    status: request.status >= 500 ? failed : unset,
  }
  const calls = attempts.map((attempt): ReadableSpan => {
    const own = contextOf(trace, attempt.spanId ?? createSpanId())
    return {
      ...base(attemptName(attempt), attempt.startedMs, attempt.endedMs),
      kind: SpanKind.CLIENT,
      spanContext: () => own,
      parentSpanContext: parent,
      attributes: defined(attemptAttributes(attempt)),
      events: eventsOf(attempt, at),
      status: isFailure(attempt) ? failed : unset,
    }
  })
  const steps = trace.steps.map((step: ObservedStep): ReadableSpan => {
    const own = contextOf(trace, createSpanId())
    return {
      ...base(stepName(step), step.startedMs, step.endedMs),
      kind: SpanKind.INTERNAL,
      spanContext: () => own,
      parentSpanContext: parent,
      attributes: defined(stepAttributes(step)),
      events: [],
      status: step.error === null ? unset : failed,
    }
  })
  const relayed = trace.calls.map((call): ReadableSpan => {
    const own = contextOf(trace, call.spanId)
    return {
      ...base(callName(call), call.startedMs, call.endedMs ?? durationMs),
      kind: SpanKind.CLIENT,
      spanContext: () => own,
      parentSpanContext: parent,
      attributes: defined(callAttributes(call)),
      events: [],
      status: call.fault === null ? unset : failed,
    }
  })
  return [server, ...calls, ...relayed, ...steps]
}

const common = {
  links: [],
  ended: true,
  instrumentationScope: { name: 'gateway' },
  droppedAttributesCount: 0,
  droppedEventsCount: 0,
  droppedLinksCount: 0,
}

const unset: SpanStatus = { code: SpanStatusCode.UNSET }
const failed: SpanStatus = { code: SpanStatusCode.ERROR }

/** Server errors, timeouts and connections that failed; a stream that a guardrail ended has not. */
const isFailure = ({ status, fault }: ObservedAttempt): boolean =>
  (status !== null && status >= 500) || (fault !== null && fault !== 'guardrail_denied')

const contextOf = ({ traceId }: RequestTrace, spanId: string): SpanContext => ({
  traceId,
  spanId,
  traceFlags: TraceFlags.SAMPLED,
})

/** @param ms since the epoch */
function timeOf(ms: number): HrTime {
  const seconds = Math.floor(ms / 1000)
  return [seconds, Math.round((ms - seconds * 1000) * 1e6)]
}

function eventsOf({ firstTokenMs, startedMs }: ObservedAttempt, at: (ms: number) => HrTime) {
  if (firstTokenMs === null) return []
  const attributes = { 'gateway.time_to_first_token': (firstTokenMs - startedMs) / 1000 }
  return [{ name: 'gateway.first_token', time: at(firstTokenMs), attributes }]
}

/** Without what is not known. */
function defined(attributes: Record<string, Attributes[string] | null>): Attributes {
  const known: Attributes = {}
  for (const name in attributes) {
    const value = attributes[name]
    if (value !== null && value !== undefined) known[name] = value
  }
  return known
}
