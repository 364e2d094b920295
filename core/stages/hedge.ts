/** At a leaf: a second call of the same target when the first one takes too long. */
import { type Exchange, type Next, required } from '../flow/index.ts'
import { mayHedge, runHedged } from '../routing/index.ts'

export async function hedge(exchange: Exchange, next: Next): Promise<void> {
  const node = required(exchange.node, 'config node')
  const settings = required(node.hedge, 'hedge')
  if (!mayHedge(exchange)) return next(exchange)
  const twin = () => {
    const made = exchange.fork(node)
    made.target = exchange.target
    made.isHedge = false
    return made
  }
  let hasSecond = false
  const second = () => {
    if (hasSecond) return null
    hasSecond = true
    return twin()
  }
  const { winner } = await runHedged(exchange, node, {
    hedge: settings,
    first: twin,
    second,
    run: async (fork) => next(fork),
  })
  exchange.answer = winner.answer
  exchange.attempt = winner.attempt
  exchange.isHedge = winner.isHedge
}
