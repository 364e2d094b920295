/** Refuses calls from browser pages of other origins, except the gateway's own and those that `server.cors` lists. */
import { GatewayError, type ServiceRequest } from '@gateway/contract'
import type { McpRuntime } from '../runtime.ts'

export function checkOrigin({ context }: Pick<McpRuntime, 'context'>, { headers }: ServiceRequest): void {
  const { origin } = headers
  if (origin === undefined) return
  const own = context.publicUrl()
  if (URL.canParse(own) && new URL(own).origin === origin) return
  if (context.allowsOrigin(origin)) return
  throw new GatewayError(
    'forbidden',
    'This origin may not call MCP servers. Add it to server.cors.origins.',
    { param: 'header/origin' },
  )
}
