/** Records the feedback of a request's hooks (`on_fail`, `on_success`) on its trace. */
import { isObject, type LogEntry, type LogFeedback } from '@gateway/contract'
import { derivedId } from '@gateway/domain'

export function hookFeedback(entry: LogEntry): LogFeedback[] {
  const { details, fields, workspace_id } = entry
  const { hook_results: results } = details
  const traceId = fields.trace_id ?? null
  if (!isObject(results) || workspace_id === null || traceId === null) return []
  const hooks = [results.before_request_hooks, results.after_request_hooks].flat().filter(isObject)
  return hooks.flatMap(({ feedback }, index) => {
    if (!isObject(feedback) || typeof feedback.value !== 'number') return []
    return {
      id: derivedId(`${entry.id}/${index}`),
      created_at: entry.created_at,
      last_updated_at: entry.created_at,
      organisation_id: entry.organisation_id,
      workspace_id,
      trace_id: traceId,
      value: feedback.value,
      weight: typeof feedback.weight === 'number' ? feedback.weight : 1,
      metadata: isObject(feedback.metadata) ? feedback.metadata : {},
      source: 'guardrail' as const,
      api_key_id: fields.api_key_id ?? null,
      user_id: fields.user_id ?? null,
    }
  })
}
