/**
 * Names and attributes of spans, by the semantic conventions of HTTP and of generative AI, plus the gateway's own under
 * `gateway.`: https://opentelemetry.io/docs/specs/semconv/gen-ai/
 */
import type { Json, ObservedAttempt, ObservedCall, ObservedRequest, ObservedStep } from '@gateway/contract'
import { attribute, distinctAttribute, type WriteAttribute } from './attribute-text.ts'

/** The limit for captured content, in UTF-16 units. */
const maxContent = 8192

export const requestName = ({ method, route }: ObservedRequest): string =>
  route === null ? method : `${method} ${route}`

export const requestAttributes: readonly WriteAttribute<ObservedRequest>[] = [
  attribute('http.request.method', (request) => request.method),
  attribute('http.route', (request) => request.route),
  attribute('http.response.status_code', (request) => request.status),
  attribute('error.type', ({ error, status }) => error ?? (status >= 500 ? String(status) : null)),
  distinctAttribute('gateway.trace_id', ({ trace, traceId, requestId }) =>
    traceId === requestId || traceId === trace?.traceId ? null : traceId,
  ),
  distinctAttribute('gateway.request_id', (request) => request.requestId),
  attribute('gateway.organisation_id', (request) => request.organisationId),
  attribute('gateway.workspace_id', (request) => request.workspaceId),
  attribute('gateway.api_key_id', (request) => request.keyId),
  attribute('gateway.user_id', (request) => request.userId),
  attribute('gateway.endpoint', (request) => request.endpoint),
  attribute('gateway.config', (request) => request.config),
  attribute('gateway.target_path', (request) => request.targetPath),
  attribute('gateway.cache_status', (request) => request.cacheStatus),
  distinctAttribute('gateway.cost_cents', (request) => request.costCents),
  attribute('gateway.client_closed', (request) => (request.isClosed ? true : null)),
]

export const attemptName = (attempt: ObservedAttempt): string => {
  const operation = operationOf(attempt.endpoint)
  return attempt.requestModel === null ? operation : `${operation} ${attempt.requestModel}`
}

export const attemptAttributes: readonly WriteAttribute<ObservedAttempt>[] = [
  attribute('gen_ai.operation.name', (attempt) => operationOf(attempt.endpoint)),
  attribute('gen_ai.provider.name', (attempt) => attempt.provider),
  attribute('gen_ai.request.model', (attempt) => attempt.requestModel),
  attribute('gen_ai.response.model', (attempt) => attempt.responseModel),
  distinctAttribute('gen_ai.response.id', (attempt) => attempt.responseId),
  distinctAttribute('gen_ai.response.finish_reasons', ({ finishReasons }) =>
    finishReasons.length === 0 ? null : finishReasons,
  ),
  attribute('gen_ai.usage.input_tokens', (attempt) => attempt.inputTokens),
  attribute('gen_ai.usage.output_tokens', (attempt) => attempt.outputTokens),
  distinctAttribute('gen_ai.input.messages', ({ content }) => contentOf(content?.input)),
  distinctAttribute('gen_ai.output.messages', ({ content }) => contentOf(content?.output)),
  attribute('server.address', (attempt) => attempt.address),
  attribute('http.response.status_code', (attempt) => attempt.status),
  attribute('error.type', (attempt) => errorTypeOf(attempt)),
  attribute('gateway.virtual_key', (attempt) => attempt.virtualKey),
  attribute('gateway.target_path', (attempt) => attempt.path),
  attribute('gateway.stream', (attempt) => attempt.isStream),
  attribute('gateway.hedge', (attempt) => (attempt.isHedge ? true : null)),
]

export const errorTypeOf = ({ fault, status }: ObservedAttempt): string | null =>
  fault ?? (status !== null && status >= 400 ? String(status) : null)

/** Attributes of the event for the first content of a stream, in seconds. */
export const firstTokenAttributes: readonly WriteAttribute<number>[] = [
  distinctAttribute('gateway.time_to_first_token', (seconds) => seconds),
]

export const callName = ({ method, tool }: ObservedCall): string =>
  tool === null ? method : `${method} ${tool}`

/** MCP has its own conventions: https://opentelemetry.io/docs/specs/semconv/gen-ai/mcp/ */
export const callAttributes: readonly WriteAttribute<ObservedCall>[] = [
  attribute('mcp.method.name', ({ endpoint, method }) => (endpoint === 'mcp' ? method : null)),
  attribute('rpc.method', ({ endpoint, method }) => (endpoint === 'mcp' ? null : method)),
  attribute('gen_ai.operation.name', ({ method }) => (method === 'tools/call' ? 'execute_tool' : null)),
  attribute('gen_ai.tool.name', (call) => call.tool),
  attribute('error.type', (call) => call.fault),
  attribute('gateway.endpoint', (call) => call.endpoint),
  attribute('gateway.server', (call) => call.server),
]

export const stepName = ({ kind, id }: ObservedStep): string =>
  kind === 'cache' ? 'cache lookup' : `guardrail ${id}`

export const stepAttributes: readonly WriteAttribute<ObservedStep>[] = [
  attribute('gateway.guardrail.check', (step) => step.id),
  attribute('gateway.guardrail.verdict', (step) => step.verdict),
  attribute('gateway.cache_status', (step) => step.status),
  attribute('error.type', (step) => step.error),
]

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
