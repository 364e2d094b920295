/**
 * Calls about objects stored by a provider (files, batches) go to exactly one target, because ids are specific to a
 * provider. Errors: 400 `no_provider`.
 */
import { GatewayError } from '@gateway/contract'
import { type Answer, headerParam, type MaybePromise, type Next, type Resolved } from '@gateway/flow'
import { leavesOf, takesProvider } from '@gateway/routing'

export function singleTarget(exchange: Resolved, next: Next<Resolved>): MaybePromise<Answer> {
  const leaves = leavesOf(exchange.node)
  const options = exchange.options
  if (leaves.length !== 1)
    throw noProvider(exchange, `The config has ${leaves.length} targets, and this route needs exactly one.`)
  if (leaves.every(takesProvider) && options.virtualKey === null && options.provider === null)
    throw noProvider(
      exchange,
      'No provider specified: send x-gateway-virtual-key, x-gateway-provider with "@" and a slug, or a config with one target.',
    )
  return next(exchange)
}

const noProvider = ({ options }: Resolved, message: string) =>
  new GatewayError('no_provider', message, {
    param: headerParam(options, 'virtual-key'),
  })
