/**
 * Removes from a translated chat request the parameters that its provider does not define. Callers of other formats
 * cannot know them, and many providers refuse unknown parameters.
 */
import type { HttpEndpoint, JsonObject, ProcedureEndpoint } from '@gateway/contract'
import type { BodyDialect, DialectContext } from '@gateway/contract/dialect'
import type { Resolved } from '@gateway/flow'

/**
 * Parameters that all chat APIs share, or whose differences adapters handle. Others are sent only where they are
 * defined.
 */
const shared: ReadonlySet<string> = new Set([
  'model',
  'messages',
  'stream',
  'stream_options',
  'max_completion_tokens',
  'temperature',
  'top_p',
  'n',
  'stop',
  'seed',
  'presence_penalty',
  'frequency_penalty',
  'logprobs',
  'top_logprobs',
  'user',
  'response_format',
  'modalities',
  'tools',
  'tool_choice',
  'parallel_tool_calls',
  'reasoning_effort',
  'web_search_options',
])

/**
 * The parameters that an endpoint defines beyond the shared ones, and those that `override_params` sets, which
 * are always sent.
 */
export function parametersOf(
  endpoint: HttpEndpoint | ProcedureEndpoint | null,
  { input: { overridden } }: Pick<Resolved, 'input'>,
): ReadonlySet<string> {
  const defined = endpoint?.kind === 'http' ? endpoint.dialect.parameters : undefined
  return new Set([...(defined ?? []), ...Object.keys(overridden ?? {})])
}

/**
 * Returns the request with its defined parameters only, or the same object if all are. Adds the others to `leftOut`.
 */
export function onlyDefined(
  chat: JsonObject,
  { parameters, leftOut }: DialectContext,
  { paths = {} }: Pick<BodyDialect, 'paths'>,
): JsonObject {
  const lost = Object.keys(chat).filter((name) => !shared.has(name) && !parameters.has(name))
  if (lost.length === 0) return chat
  leftOut.push(...lost.map((name) => paths[name] ?? `/${name}`))
  return Object.fromEntries(Object.entries(chat).filter(([name]) => !lost.includes(name)))
}
