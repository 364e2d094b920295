/** Collects the input hooks of each node on the path to a session's target. They check the session's messages. */
import type { Answer, CompiledHook, MaybePromise, Next, Resolved } from '@gateway/flow'

export function sessionHooks(
  exchange: Resolved,
  next: Next<Resolved>,
  before: readonly CompiledHook[],
): MaybePromise<Answer> {
  exchange.sessionHooks = [...exchange.sessionHooks, ...before]
  return next(exchange)
}
