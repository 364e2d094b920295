/**
 * What the caller's workspace has: the config file, and what is stored for it. From here on `exchange.settings` is the
 * workspace's. Without an identity, on a public route, the file's stay.
 */

import type { Exchange } from '../flow/exchange.ts'
import type { Next } from '../flow/stage.ts'

export async function workspace(exchange: Exchange, next: Next): Promise<void> {
  const { identity, runtime } = exchange
  if (identity !== null) exchange.settings = await runtime.workspaces.settingsOf(identity.workspaceId)
  await next(exchange)
}
