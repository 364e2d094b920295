/**
 * A request as spans, in the JSON of OTLP: one of kind SERVER, one of kind CLIENT for each call of a provider, an MCP
 * server or an agent, and INTERNAL ones for guardrail checks and cache lookups. The text equals that of the SDK's own
 * serializer for the same spans, at a tenth of the processor time.
 * https://opentelemetry.io/docs/specs/semconv/gen-ai/gen-ai-spans/
 */
import type { ObservedAttempt, ObservedCall, ObservedRequest, ObservedStep } from '@gateway/contract'
import { attributesText, quoted } from './attribute-text.ts'
import {
  attemptAttributes,
  attemptName,
  callAttributes,
  callName,
  firstTokenAttributes,
  requestAttributes,
  requestName,
  stepAttributes,
  stepName,
} from './attributes.ts'

/** https://github.com/open-telemetry/opentelemetry-proto/blob/main/opentelemetry/proto/trace/v1/trace.proto */
const kinds = { internal: 1, server: 2, client: 3 } as const
const statuses = { unset: 0, error: 2 } as const
/** Sampled, with the parent in this process (`local`) or another one (`remote`). */
const flags = { local: 0x101, remote: 0x301 } as const

export const spanCount = ({ attempts, trace }: ObservedRequest): number =>
  trace === null ? 0 : 1 + attempts.length + trace.steps.length + trace.calls.length

/** The spans, separated by commas. */
export function spansText(request: ObservedRequest): string {
  const { trace, attempts } = request
  if (trace === null) return ''
  let text = serverText(request, trace)
  for (const attempt of attempts) text += `,${attemptText(request, trace, attempt)}`
  for (const call of trace.calls) text += `,${callText(request, trace, call)}`
  for (const step of trace.steps) text += `,${stepText(request, trace, step)}`
  return text
}

type Trace = NonNullable<ObservedRequest['trace']>

const serverText = (request: ObservedRequest, trace: Trace): string =>
  spanText(request, trace, {
    spanId: trace.spanId,
    parentSpanId: trace.parentSpanId,
    name: requestName(request),
    facts: trace.parentSpanId === null ? root : server,
    startedMs: 0,
    endedMs: request.durationMs,
    attributes: attributesText(requestAttributes, request),
    events: '',
    isFailure: request.status >= 500,
  })

const attemptText = (request: ObservedRequest, trace: Trace, attempt: ObservedAttempt): string =>
  spanText(request, trace, {
    spanId: attempt.spanId ?? '',
    parentSpanId: trace.spanId,
    name: attemptName(attempt),
    facts: client,
    startedMs: attempt.startedMs,
    endedMs: attempt.endedMs,
    attributes: attributesText(attemptAttributes, attempt),
    events: firstTokenText(request, attempt),
    isFailure: hasFailed(attempt),
  })

const callText = (request: ObservedRequest, trace: Trace, call: ObservedCall): string =>
  spanText(request, trace, {
    spanId: call.spanId,
    parentSpanId: trace.spanId,
    name: callName(call),
    facts: client,
    startedMs: call.startedMs,
    endedMs: call.endedMs ?? request.durationMs,
    attributes: attributesText(callAttributes, call),
    events: '',
    isFailure: call.fault !== null,
  })

const stepText = (request: ObservedRequest, trace: Trace, step: ObservedStep): string =>
  spanText(request, trace, {
    spanId: step.spanId,
    parentSpanId: trace.spanId,
    name: stepName(step),
    facts: internal,
    startedMs: step.startedMs,
    endedMs: step.endedMs,
    attributes: attributesText(stepAttributes, step),
    events: '',
    isFailure: step.error !== null,
  })

interface Span {
  spanId: string
  parentSpanId: string | null
  facts: SpanFacts
  name: string
  /** Milliseconds since the request arrived. */
  startedMs: number
  endedMs: number
  /** Texts of lists. */
  attributes: string
  events: string
  isFailure: boolean
}

/** Texts that spans of a kind share, because joining few pieces is faster. */
interface SpanFacts {
  kind: string
  /** The text after the events. */
  succeeded: string
  failed: string
}

function factsOf(kind: number, ofParent: number): SpanFacts {
  const end = (status: number) =>
    `],"droppedEventsCount":0,"status":{"code":${status}},"links":[],"droppedLinksCount":0,"flags":${ofParent}}`
  return {
    kind: `,"kind":${kind},"startTimeUnixNano":"`,
    succeeded: end(statuses.unset),
    failed: end(statuses.error),
  }
}

const root = factsOf(kinds.server, flags.local)
const server = factsOf(kinds.server, flags.remote)
const client = factsOf(kinds.client, flags.local)
const internal = factsOf(kinds.internal, flags.local)

function spanText({ arrivedAt }: ObservedRequest, { traceId }: Trace, span: Span): string {
  const { facts } = span
  const parent = span.parentSpanId === null ? '' : `,"parentSpanId":"${span.parentSpanId}"`
  const start = nanoseconds(arrivedAt + span.startedMs)
  const end = nanoseconds(arrivedAt + Math.max(span.startedMs, span.endedMs))
  return (
    `{"traceId":"${traceId}","spanId":"${span.spanId}"${parent},"name":${quoted(span.name)}${facts.kind}${start}` +
    `","endTimeUnixNano":"${end}","attributes":[${span.attributes}],"droppedAttributesCount":0,"events":[` +
    span.events +
    (span.isFailure ? facts.failed : facts.succeeded)
  )
}

/** Server errors, timeouts and failed connections, but not a stream that a guardrail ended. */
const hasFailed = ({ status, fault }: ObservedAttempt): boolean =>
  (status !== null && status >= 500) || (fault !== null && fault !== 'guardrail_denied')

function firstTokenText(
  { arrivedAt }: ObservedRequest,
  { firstTokenMs, startedMs }: ObservedAttempt,
): string {
  if (firstTokenMs === null) return ''
  const attributes = attributesText(firstTokenAttributes, (firstTokenMs - startedMs) / 1000)
  const time = nanoseconds(arrivedAt + firstTokenMs)
  return `{"attributes":[${attributes}],"name":"gateway.first_token","timeUnixNano":"${time}","droppedAttributesCount":0}`
}

const secondNanos = 1_000_000_000

/**
 * As text, because a double cannot represent it.
 * @param ms since the epoch
 */
function nanoseconds(ms: number): string {
  const seconds = Math.floor(ms / 1000)
  const rest = Math.round((ms - seconds * 1000) * 1e6)
  if (rest === secondNanos) return `${seconds + 1}000000000`
  return `${seconds}${String(secondNanos + rest).slice(1)}`
}
