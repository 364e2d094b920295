/** A browser page of another origin may not call: the gateway's own may, and those that `server.cors` lists. */
import { GatewayError, type ServiceRequest } from '@gateway/contract'
import type { McpRuntime } from '../runtime.ts'

export function checkOrigin({ context }: Pick<McpRuntime, 'context'>, { headers }: ServiceRequest): void {
  const { origin } = headers
  if (origin === undefined) return
  const own = context.publicUrl()
  if (URL.canParse(own) && new URL(own).origin === origin) return
  if (context.allowsOrigin(origin)) return
  throw new GatewayError('forbidden', 'This origin may not call MCP servers.', { param: 'header/origin' })
}
