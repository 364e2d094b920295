/**
 * Names and attributes of spans, by the semantic conventions of HTTP and of generative AI, plus the gateway's own under
 * `gateway.`: https://opentelemetry.io/docs/specs/semconv/gen-ai/
 */
import type { Json, ObservedAttempt, ObservedCall, ObservedRequest, ObservedStep } from '@gateway/contract'
import { attribute, distinctAttribute, listAttribute, type WriteAttribute } from './attribute-bytes.ts'
import type { RepeatedValues } from './cache-by-values.ts'

/** How the span of an `Of` (a request, an attempt, …) is written. */
export interface SpanDescription<Of> {
  /** https://github.com/open-telemetry/opentelemetry-proto/blob/main/opentelemetry/proto/trace/v1/trace.proto */
  kind: 1 | 2 | 3
  /** Derived only from values that are also in `repeated`. */
  name(of: Of): string
  /** Attributes whose values recur in the same combinations; those with null are left out. */
  repeated(of: Of): RepeatedValues
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
  repeated: (request) => ({
    'http.request.method': request.method,
    'http.route': request.route,
    'http.response.status_code': request.status,
    'error.type': request.error ?? (request.status >= 500 ? String(request.status) : null),
    'gateway.organisation_id': request.organisationId,
    'gateway.workspace_id': request.workspaceId,
    'gateway.api_key_id': request.keyId,
    'gateway.user_id': request.userId,
    'gateway.endpoint': request.endpoint,
    'gateway.config': request.config,
    'gateway.target_path': request.targetPath,
    'gateway.cache_status': request.cacheStatus,
    'gateway.client_closed': request.isClosed ? true : null,
  }),
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
  repeated: (attempt) => ({
    'gen_ai.operation.name': operationOf(attempt.endpoint),
    'gen_ai.provider.name': attempt.provider,
    'gen_ai.request.model': attempt.requestModel,
    'gen_ai.response.model': attempt.responseModel,
    'server.address': attempt.address,
    'http.response.status_code': attempt.status,
    'error.type': errorTypeOf(attempt),
    'gateway.virtual_key': attempt.virtualKey,
    'gateway.target_path': attempt.path,
    'gateway.stream': attempt.isStream,
    'gateway.hedge': attempt.isHedge ? true : null,
  }),
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
  repeated: ({ endpoint, method, tool, fault, server }) => ({
    'mcp.method.name': endpoint === 'mcp' ? method : null,
    'rpc.method': endpoint === 'mcp' ? null : method,
    'gen_ai.operation.name': method === 'tools/call' ? 'execute_tool' : null,
    'gen_ai.tool.name': tool,
    'error.type': fault,
    'gateway.endpoint': endpoint,
    'gateway.server': server,
  }),
  others: [],
}

export const cacheSpan: SpanDescription<ObservedStep> = {
  kind: internal,
  name: () => 'cache lookup',
  repeated: ({ status, error }) => ({ 'gateway.cache_status': status, 'error.type': error }),
  others: [],
}

export const checkSpan: SpanDescription<ObservedStep> = {
  kind: internal,
  name: ({ id }) => `guardrail ${id}`,
  repeated: ({ id, verdict, error }) => ({
    'gateway.guardrail.check': id,
    'gateway.guardrail.verdict': verdict,
    'error.type': error,
  }),
  others: [],
}

/** The conventions' names for endpoints; other endpoints use their own name. */
const operations = new Map([
  ['chatComplete', 'chat'],
  ['messages', 'chat'],
  ['createModelResponse', 'chat'],
  ['complete', 'text_completion'],
  ['embed', 'embeddings'],
  ['embedContent', 'embeddings'],
  ['batchEmbedContents', 'embeddings'],
])

export const operationOf = (endpoint: string): string =>
  operations.get(endpoint) ?? endpoint.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

const contentOf = (content: Json | undefined): string | null =>
  content === undefined || content === null ? null : JSON.stringify(content).slice(0, maxContent)
