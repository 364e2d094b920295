/**
 * What the caller's workspace has: the config file, and what is stored for it. From here on `exchange.settings` is the
 * workspace's. Without an identity, on a public route, the file's stay.
 */
import type { Exchange } from '../exchange.ts'
import type { Next } from '../stage.ts'

export async function workspace(exchange: Exchange, next: Next): Promise<void> {
  const { identity, runtime } = exchange
  if (identity !== null) {
    const settings = runtime.workspaces.settingsOf(identity.workspaceId)
    // A known workspace costs no turn of the event loop.
    exchange.settings = settings instanceof Promise ? await settings : settings
  }
  await next()
}
