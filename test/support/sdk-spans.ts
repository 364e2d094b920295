/** The spans of a request as objects of the OpenTelemetry SDK, whose serializer is the reference for their format. */
import type { ObservedAttempt, ObservedCall, ObservedRequest, ObservedStep } from '@gateway/contract'
import { type Attributes, type HrTime, type SpanContext, SpanKind, SpanStatusCode } from '@opentelemetry/api'
import type { Resource } from '@opentelemetry/resources'
import type { ReadableSpan } from '@opentelemetry/sdk-trace'

type Trace = NonNullable<ObservedRequest['trace']>

export function sdkSpans(request: ObservedRequest, trace: Trace, resource: Resource): ReadableSpan[] {
  const context = (spanId: string): SpanContext => ({ traceId: trace.traceId, spanId, traceFlags: 1 })
  const at = (ms: number) => timeOf(request.arrivedAt + ms)
  const span = (own: {
    name: string
    kind: SpanKind
    spanId: string
    startedMs: number
    endedMs: number
    attributes: Record<string, unknown>
    hasFailed: boolean
    events?: ReadableSpan['events']
    parent?: SpanContext
  }): ReadableSpan => ({
    name: own.name,
    kind: own.kind,
    spanContext: () => context(own.spanId),
    ...(own.parent === undefined ? {} : { parentSpanContext: own.parent }),
    startTime: at(own.startedMs),
    endTime: at(Math.max(own.startedMs, own.endedMs)),
    duration: [0, 0],
    attributes: known(own.attributes),
    events: own.events ?? [],
    status: { code: own.hasFailed ? SpanStatusCode.ERROR : SpanStatusCode.UNSET },
    resource,
    instrumentationScope: { name: 'gateway' },
    links: [],
    ended: true,
    droppedAttributesCount: 0,
    droppedEventsCount: 0,
    droppedLinksCount: 0,
  })
  const parent = context(trace.spanId)
  return [
    span({
      name: request.route === null ? request.method : `${request.method} ${request.route}`,
      kind: SpanKind.SERVER,
      spanId: trace.spanId,
      startedMs: 0,
      endedMs: request.durationMs,
      attributes: ofRequest(request, trace),
      hasFailed: request.status >= 500,
      ...(trace.parentSpanId === null ? {} : { parent: { ...context(trace.parentSpanId), isRemote: true } }),
    }),
    ...request.attempts.map((attempt) =>
      span({
        name: attempt.requestModel === null ? 'chat' : `chat ${attempt.requestModel}`,
        kind: SpanKind.CLIENT,
        spanId: attempt.spanId ?? '',
        startedMs: attempt.startedMs,
        endedMs: attempt.endedMs,
        attributes: ofAttempt(attempt),
        hasFailed:
          (attempt.status ?? 0) >= 500 || (attempt.fault !== null && attempt.fault !== 'guardrail_denied'),
        events: attempt.firstTokenMs === null ? [] : [firstToken(attempt, attempt.firstTokenMs, at)],
        parent,
      }),
    ),
    ...trace.calls.map((call) =>
      span({
        name: call.tool === null ? call.method : `${call.method} ${call.tool}`,
        kind: SpanKind.CLIENT,
        spanId: call.spanId,
        startedMs: call.startedMs,
        endedMs: call.endedMs ?? request.durationMs,
        attributes: ofCall(call),
        hasFailed: call.fault !== null,
        parent,
      }),
    ),
    ...trace.steps.map((step) =>
      span({
        name: step.kind === 'cache' ? 'cache lookup' : `guardrail ${step.id}`,
        kind: SpanKind.INTERNAL,
        spanId: step.spanId,
        startedMs: step.startedMs,
        endedMs: step.endedMs,
        attributes: ofStep(step),
        hasFailed: step.error !== null,
        parent,
      }),
    ),
  ]
}

const ofRequest = (request: ObservedRequest, trace: Trace) => ({
  'http.request.method': request.method,
  'http.route': request.route,
  'http.response.status_code': request.status,
  'error.type': request.error ?? (request.status >= 500 ? `${request.status}` : null),
  'gateway.trace_id': [trace.traceId, request.requestId].includes(request.traceId) ? null : request.traceId,
  'gateway.request_id': request.requestId,
  'gateway.organisation_id': request.organisationId,
  'gateway.workspace_id': request.workspaceId,
  'gateway.api_key_id': request.keyId,
  'gateway.user_id': request.userId,
  'gateway.endpoint': request.endpoint,
  'gateway.config': request.config,
  'gateway.target_path': request.targetPath,
  'gateway.cache_status': request.cacheStatus,
  'gateway.cost_cents': request.costCents,
  'gateway.client_closed': request.isClosed || null,
})

const ofAttempt = (attempt: ObservedAttempt) => ({
  'gen_ai.operation.name': 'chat',
  'gen_ai.provider.name': attempt.provider,
  'gen_ai.request.model': attempt.requestModel,
  'gen_ai.response.model': attempt.responseModel,
  'gen_ai.response.id': attempt.responseId,
  'gen_ai.response.finish_reasons': attempt.finishReasons.length === 0 ? null : [...attempt.finishReasons],
  'gen_ai.usage.input_tokens': attempt.inputTokens,
  'gen_ai.usage.output_tokens': attempt.outputTokens,
  'gen_ai.input.messages': attempt.content === null ? null : JSON.stringify(attempt.content.input),
  'gen_ai.output.messages': attempt.content === null ? null : JSON.stringify(attempt.content.output),
  'server.address': attempt.address,
  'http.response.status_code': attempt.status,
  'error.type': attempt.fault ?? ((attempt.status ?? 0) >= 400 ? `${attempt.status}` : null),
  'gateway.virtual_key': attempt.virtualKey,
  'gateway.target_path': attempt.path,
  'gateway.stream': attempt.isStream,
  'gateway.hedge': attempt.isHedge || null,
})

const ofCall = ({ endpoint, method, tool, fault, server }: ObservedCall) => ({
  'mcp.method.name': endpoint === 'mcp' ? method : null,
  'rpc.method': endpoint === 'mcp' ? null : method,
  'gen_ai.operation.name': method === 'tools/call' ? 'execute_tool' : null,
  'gen_ai.tool.name': tool,
  'error.type': fault,
  'gateway.endpoint': endpoint,
  'gateway.server': server,
})

const ofStep = ({ kind, id, verdict, status, error }: ObservedStep) => ({
  ...(kind === 'cache'
    ? { 'gateway.cache_status': status }
    : { 'gateway.guardrail.check': id, 'gateway.guardrail.verdict': verdict }),
  'error.type': error,
})

const firstToken = (attempt: ObservedAttempt, firstTokenMs: number, at: (ms: number) => HrTime) => ({
  name: 'gateway.first_token',
  time: at(firstTokenMs),
  attributes: { 'gateway.time_to_first_token': (firstTokenMs - attempt.startedMs) / 1000 },
})

/** @param ms since the epoch */
function timeOf(ms: number): HrTime {
  const seconds = Math.floor(ms / 1000)
  return [seconds, Math.round((ms - seconds * 1000) * 1e6)]
}

const known = (attributes: Record<string, unknown>) =>
  Object.fromEntries(Object.entries(attributes).filter(([, value]) => value !== null)) as Attributes
