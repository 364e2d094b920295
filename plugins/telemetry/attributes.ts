/**
 * Names and attributes of spans, by the semantic conventions of HTTP and of generative AI, and the gateway's own under
 * `gateway.`: https://opentelemetry.io/docs/specs/semconv/gen-ai/
 */
import type { Json, ObservedAttempt, ObservedCall, ObservedRequest, ObservedStep } from '@gateway/contract'

type Values = Record<string, string | number | boolean | string[] | null>

/** Of content, in UTF-16 units. */
const maxContent = 8192

export const requestName = ({ method, route }: ObservedRequest): string =>
  route === null ? method : `${method} ${route}`

export const requestAttributes = (request: ObservedRequest): Values => ({
  'http.request.method': request.method,
  'http.route': request.route,
  'http.response.status_code': request.status,
  'error.type': request.error ?? (request.status >= 500 ? String(request.status) : null),
  'gateway.trace_id': request.traceId === request.trace?.traceId ? null : request.traceId,
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
  'gateway.client_closed': request.isClosed ? true : null,
})

export const attemptName = (attempt: ObservedAttempt): string => {
  const operation = operationOf(attempt.endpoint)
  return attempt.requestModel === null ? operation : `${operation} ${attempt.requestModel}`
}

export const attemptAttributes = (attempt: ObservedAttempt): Values => ({
  'gen_ai.operation.name': operationOf(attempt.endpoint),
  'gen_ai.provider.name': attempt.provider,
  'gen_ai.request.model': attempt.requestModel,
  'gen_ai.response.model': attempt.responseModel,
  'gen_ai.response.id': attempt.responseId,
  'gen_ai.response.finish_reasons': attempt.finishReasons.length === 0 ? null : [...attempt.finishReasons],
  'gen_ai.usage.input_tokens': attempt.inputTokens,
  'gen_ai.usage.output_tokens': attempt.outputTokens,
  'gen_ai.input.messages': contentOf(attempt.content?.input),
  'gen_ai.output.messages': contentOf(attempt.content?.output),
  'server.address': attempt.address,
  'http.response.status_code': attempt.status,
  'error.type': errorTypeOf(attempt),
  'gateway.virtual_key': attempt.virtualKey,
  'gateway.target_path': attempt.path,
  'gateway.stream': attempt.isStream,
  'gateway.hedge': attempt.isHedge ? true : null,
})

export const errorTypeOf = ({ fault, status }: ObservedAttempt): string | null =>
  fault ?? (status !== null && status >= 400 ? String(status) : null)

export const callName = ({ method, tool }: ObservedCall): string =>
  tool === null ? method : `${method} ${tool}`

/** MCP has conventions of its own: https://opentelemetry.io/docs/specs/semconv/gen-ai/mcp/ */
export const callAttributes = ({ endpoint, server, method, tool, fault }: ObservedCall): Values => ({
  ...(endpoint === 'mcp' ? { 'mcp.method.name': method } : { 'rpc.method': method }),
  'gen_ai.operation.name': method === 'tools/call' ? 'execute_tool' : null,
  'gen_ai.tool.name': tool,
  'error.type': fault,
  'gateway.endpoint': endpoint,
  'gateway.server': server,
})

export const stepName = ({ kind, id }: ObservedStep): string =>
  kind === 'cache' ? 'cache lookup' : `guardrail ${id}`

export const stepAttributes = ({ id, verdict, error, status }: ObservedStep): Values => ({
  'gateway.guardrail.check': id,
  'gateway.guardrail.verdict': verdict,
  'gateway.cache_status': status,
  'error.type': error,
})

/** The names that the conventions have for endpoints; others are named after the endpoint. */
const operations: Readonly<Record<string, string>> = {
  chatComplete: 'chat',
  messages: 'chat',
  createModelResponse: 'chat',
  complete: 'text_completion',
  embed: 'embeddings',
}

export const operationOf = (endpoint: string): string =>
  operations[endpoint] ?? endpoint.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

const contentOf = (content: Json | undefined): string | null =>
  content === undefined || content === null ? null : JSON.stringify(content).slice(0, maxContent)
