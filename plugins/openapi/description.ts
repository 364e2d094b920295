/** The description of an operation: its own text, followed by sentences derived from its declaration. */
import type { RouteDescription } from '@gateway/contract'

const inferenceScope = 'completions.write'

/** @param aliases templates of the other paths of the operation */
export function descriptionOf(route: RouteDescription, aliases: readonly string[]): string {
  const { summary, description, method, scope, listener, media } = route
  const own = description ?? `${summary}.`
  return [
    own.endsWith('.') ? own : `${own}.`,
    accessOf(scope),
    ...(scope === inferenceScope
      ? [
          'Headers such as `x-gateway-config` and `x-gateway-provider` choose the provider; guardrails, limits and the cache of the config apply.',
        ]
      : []),
    ...(media?.answer?.includes('text/event-stream') === true && method === 'POST'
      ? ['With `"stream": true` the answer is a stream of server-sent events.']
      : []),
    ...(method === 'POST' && scope !== 'public' && scope !== inferenceScope
      ? [
          'A repeated request with the same `idempotency-key` header returns the first answer and changes nothing.',
        ]
      : []),
    ...(listener === 'admin' ? ['When `server.admin_listener` is set, only that listener serves it.'] : []),
    ...(aliases.length === 0 ? [] : [`Other paths: ${aliases.map((path) => `\`${path}\``).join(', ')}.`]),
  ].join('\n\n')
}

function accessOf(scope: RouteDescription['scope']): string {
  if (scope === 'public') return 'Requires no credential.'
  const scopes = scope === null ? [] : [scope].flat()
  if (scopes.length === 0) return 'Requires a valid API key, session or JWT; no particular scope.'
  return `Requires the scope ${scopes.map((each) => `\`${each}\``).join(' or ')}.`
}
