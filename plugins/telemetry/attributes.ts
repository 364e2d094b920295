/**
 * Names and attributes of spans, by the semantic conventions of HTTP and of generative AI, plus the gateway's own under
 * `gateway.`: https://opentelemetry.io/docs/specs/semconv/gen-ai/
 */
import type { Json, ObservedAttempt, ObservedCall, ObservedRequest, ObservedStep } from '@gateway/contract'
import {
  attribute,
  distinctAttribute,
  listAttribute,
  type RepeatedAttributes,
  type WriteAttribute,
} from './attribute-bytes.ts'

/** How the span of an `Of` (a request, an attempt, …) is written. */
export interface SpanDescription<Of> {
  /** https://github.com/open-telemetry/opentelemetry-proto/blob/main/opentelemetry/proto/trace/v1/trace.proto */
  kind: 1 | 2 | 3
  /** Derived only from values that are also in `repeated`. */
  name(of: Of): string
  repeated: RepeatedAttributes<Of>
  /** The remaining attributes. If there are any, the first repeated attribute must always have a value. */
  others: readonly WriteAttribute<Of>[]
}

const internal = 1
const server = 2
const client = 3

/** The limit for captured content, in UTF-16 units. */
const maxContent = 8192

export const requestSpan: SpanDescription<ObservedRequest> = {
  kind: server,
  name: ({ method, route }) => (route === null ? method : `${method} ${route}`),
  repeated: {
    'http.request.method': (request) => request.method,
    'http.route': (request) => request.route,
    'http.response.status_code': (request) => request.status,
    'error.type': ({ error, status }) => error ?? (status >= 500 ? String(status) : null),
    'gateway.organisation_id': (request) => request.organisationId,
    'gateway.workspace_id': (request) => request.workspaceId,
    'gateway.api_key_id': (request) => request.keyId,
    'gateway.user_id': (request) => request.userId,
    'gateway.endpoint': (request) => request.endpoint,
    'gateway.config': (request) => request.config,
    'gateway.target_path': (request) => request.targetPath,
    'gateway.cache_status': (request) => request.cacheStatus,
    'gateway.client_closed': (request) => (request.isClosed ? true : null),
  },
  others: [
    distinctAttribute('gateway.request_id', (request) => request.requestId),
    distinctAttribute('gateway.trace_id', ({ trace, traceId, requestId }) =>
      traceId === requestId || traceId === trace?.traceId ? null : traceId,
    ),
    distinctAttribute('gateway.cost_cents', (request) => request.costCents),
  ],
}

export const attemptSpan: SpanDescription<ObservedAttempt> = {
  kind: client,
  name({ endpoint, requestModel }) {
    const operation = operationOf(endpoint)
    return requestModel === null ? operation : `${operation} ${requestModel}`
  },
  repeated: {
    'gen_ai.operation.name': (attempt) => operationOf(attempt.endpoint),
    'gen_ai.provider.name': (attempt) => attempt.provider,
    'gen_ai.request.model': (attempt) => attempt.requestModel,
    'gen_ai.response.model': (attempt) => attempt.responseModel,
    'server.address': (attempt) => attempt.address,
    'http.response.status_code': (attempt) => attempt.status,
    'error.type': (attempt) => errorTypeOf(attempt),
    'gateway.virtual_key': (attempt) => attempt.virtualKey,
    'gateway.target_path': (attempt) => attempt.path,
    'gateway.stream': (attempt) => attempt.isStream,
    'gateway.hedge': (attempt) => (attempt.isHedge ? true : null),
  },
  others: [
    distinctAttribute('gen_ai.response.id', (attempt) => attempt.responseId),
    listAttribute('gen_ai.response.finish_reasons', (attempt) => attempt.finishReasons),
    attribute('gen_ai.usage.input_tokens', (attempt) => attempt.inputTokens),
    attribute('gen_ai.usage.output_tokens', (attempt) => attempt.outputTokens),
    distinctAttribute('gen_ai.input.messages', ({ content }) => contentOf(content?.input)),
    distinctAttribute('gen_ai.output.messages', ({ content }) => contentOf(content?.output)),
  ],
}

export const errorTypeOf = ({ fault, status }: ObservedAttempt): string | null =>
  fault ?? (status !== null && status >= 400 ? String(status) : null)

/** MCP has its own conventions: https://opentelemetry.io/docs/specs/semconv/gen-ai/mcp/ */
export const callSpan: SpanDescription<ObservedCall> = {
  kind: client,
  name: ({ method, tool }) => (tool === null ? method : `${method} ${tool}`),
  repeated: {
    'mcp.method.name': ({ endpoint, method }) => (endpoint === 'mcp' ? method : null),
    'rpc.method': ({ endpoint, method }) => (endpoint === 'mcp' ? null : method),
    'gen_ai.operation.name': ({ method }) => (method === 'tools/call' ? 'execute_tool' : null),
    'gen_ai.tool.name': (call) => call.tool,
    'error.type': (call) => call.fault,
    'gateway.endpoint': (call) => call.endpoint,
    'gateway.server': (call) => call.server,
  },
  others: [],
}

export const cacheSpan: SpanDescription<ObservedStep> = {
  kind: internal,
  name: () => 'cache lookup',
  repeated: { 'gateway.cache_status': (step) => step.status, 'error.type': (step) => step.error },
  others: [],
}

export const checkSpan: SpanDescription<ObservedStep> = {
  kind: internal,
  name: ({ id }) => `guardrail ${id}`,
  repeated: {
    'gateway.guardrail.check': (step) => step.id,
    'gateway.guardrail.verdict': (step) => step.verdict,
    'error.type': (step) => step.error,
  },
  others: [],
}

/** The conventions' names for endpoints; other endpoints use their own name. */
const operations = new Map([
  ['chatComplete', 'chat'],
  ['messages', 'chat'],
  ['createModelResponse', 'chat'],
  ['complete', 'text_completion'],
  ['embed', 'embeddings'],
])

export const operationOf = (endpoint: string): string =>
  operations.get(endpoint) ?? endpoint.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

const contentOf = (content: Json | undefined): string | null =>
  content === undefined || content === null ? null : JSON.stringify(content).slice(0, maxContent)
