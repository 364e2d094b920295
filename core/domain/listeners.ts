/**
 * The listener of a route when `server.admin_listener` is set: from its declaration, otherwise from its scope.
 * Application routes stay on the main listener; management is only on the admin listener.
 */
import type { Listener, RouteDescription } from '@gateway/contract'

/** Scopes of application calls. */
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

/** Public routes are needed before a login: sign-in, invitations, discovery documents. */
export function listenerOf({ listener, scope }: Pick<RouteDescription, 'listener' | 'scope'>): Listener {
  if (listener !== undefined) return listener
  if (scope === null) return 'admin'
  if (scope === 'public') return 'main'
  return [scope].flat().some((one) => mainScopes.has(one)) ? 'main' : 'admin'
}
