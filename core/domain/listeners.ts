/**
 * On which listener a route is served once `server.admin_listener` is set: its declaration says so, else its scope. What
 * applications call stays on the main listener; management is on the admin listener alone.
 */
import type { Listener, RouteDescription } from '@gateway/contract'

/** Scopes of calls that applications make. */
const mainScopes: ReadonlySet<string> = new Set([
  'agents.invoke',
  'completions.write',
  'feedbacks.read',
  'feedbacks.write',
  'logs.write',
  'mcp.invoke',
  'models.list',
  'prompts.render',
  'scim.provision',
])

/** Public routes are those that nobody can call from behind a login: sign-in, invitations, discovery documents. */
export function listenerOf({ listener, scope }: Pick<RouteDescription, 'listener' | 'scope'>): Listener {
  if (listener !== undefined) return listener
  if (scope === null) return 'admin'
  if (scope === 'public') return 'main'
  return [scope].flat().some((one) => mainScopes.has(one)) ? 'main' : 'admin'
}
