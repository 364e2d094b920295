/**
 * What the caller's workspace has: the config file, and what is stored for it. From here on `exchange.settings` is the
 * workspace's. Without an identity, on a public route, the file's stay.
 */

import type { Exchange } from '../flow/exchange.ts'
import type { Settings } from '../flow/settings.ts'
import type { Next } from '../flow/stage.ts'

export function workspace(exchange: Exchange, next: Next): Promise<void> {
  const { identity, runtime } = exchange
  if (identity === null) return next(exchange)
  const settings = runtime.workspaces.settingsOf(identity.workspaceId)
  if (settings instanceof Promise) return arrive(exchange, settings, next)
  // A known workspace costs no turn of the event loop.
  exchange.settings = settings
  return next(exchange)
}

async function arrive(exchange: Exchange, settings: Promise<Settings>, next: Next): Promise<void> {
  exchange.settings = await settings
  await next(exchange)
}
