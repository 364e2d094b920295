/** Makes a second call to the target of a leaf when the first one takes too long; the first success is the answer. */
import {
  type Answer,
  type Hedge,
  type Next,
  noAttempt,
  type Ports,
  type Targeted,
  targeted,
  type WithSetting,
} from '@gateway/flow'
import { mayHedge, runHedged } from '@gateway/routing'

export async function hedge(
  exchange: Targeted,
  next: Next<Targeted>,
  { setting: settings, ports }: WithSetting<Hedge, Ports<'log' | 'metrics'>>,
): Promise<Answer> {
  if (!mayHedge(exchange)) return next(exchange)
  const twin = () => {
    const made = targeted(exchange.fork(exchange.node), exchange.target)
    made.attempt = noAttempt
    return made
  }
  let hasSecond = false
  const second = () => {
    if (hasSecond) return null
    hasSecond = true
    return twin()
  }
  const { winner, answer } = await runHedged<Targeted>(ports, exchange, {
    node: exchange.node,
    calls: {
      hedge: settings,
      first: twin,
      second,
      run: async (fork) => next(fork),
    },
  })
  exchange.attempt = winner.attempt
  return answer
}
