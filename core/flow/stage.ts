/**
 * A stage acts before and after the rest of its list. It declares the phase that it takes, the phase that it produces,
 * and the ports that it uses. It returns the answer of the rest (`return next(exchange)`), a changed answer (`return
 * andThen(next(exchange), (answer) => …)`), or an answer of its own, without running the rest.
 */
import type { Answer } from './answer.ts'
import type { Runtime } from './runtime.ts'
import type { MaybePromise } from './waiting.ts'

/** A composed list, or its rest. @typeParam Result the answer, if the list does not end before one */
export type Run<Phase, Result = Answer> = (exchange: Phase) => MaybePromise<Result>

export type Next<Phase, Result = Answer> = Run<Phase, Result>

/** Ports are the last parameter, of a type with those that the stage uses: `Ports<'capacity'>`. */
export type Stage<Takes, Makes = Takes, Result = Answer> = (
  exchange: Takes,
  next: Next<Makes, Result>,
  ports: Runtime,
) => MaybePromise<Result>

/** A stage that acts on the way in only: it returns the result of the rest of the list unchanged. */
export type InwardStage<Takes, Makes = Takes> = <Result>(
  exchange: Takes,
  next: Next<Makes, Result>,
  ports: Runtime,
) => MaybePromise<Result>

/** The setting of a config node, and the ports of a stage that acts on it. Made once per node, not per request. */
export interface WithSetting<Setting, Uses = Runtime> {
  readonly setting: Setting
  readonly ports: Uses
}

/** A stage of the config nodes that have a setting. */
export type SettingStage<Takes, Setting> = (
  exchange: Takes,
  next: Next<Takes>,
  given: WithSetting<Setting>,
) => MaybePromise<Answer>

/** The handler that runs at the end of a list. */
export type Last<Takes, Result = Answer> = (exchange: Takes, ports: Runtime) => MaybePromise<Result>

/** Makes what ends the list of inner config nodes. @param list the whole list, which runs for targets */
export type Strategist<Takes, First> = (ports: Runtime, list: Run<First>) => Run<Takes>
