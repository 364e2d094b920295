/** Collects the input hooks of each node on the path to a session's target. They check the session's messages. */
import {
  type Answer,
  type CompiledHook,
  changeInput,
  type MaybePromise,
  type Next,
  type Resolved,
  type WithSetting,
} from '@gateway/flow'

export function sessionHooks(
  exchange: Resolved,
  next: Next<Resolved>,
  { setting: before }: WithSetting<readonly CompiledHook[]>,
): MaybePromise<Answer> {
  changeInput(exchange, { sessionHooks: [...exchange.input.sessionHooks, ...before] })
  return next(exchange)
}
