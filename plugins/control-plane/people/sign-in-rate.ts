/** How often somebody may try to sign in: 20 times a minute for an address and an account. */
import { GatewayError, type ServiceContext } from '@gateway/contract'
import { sha256 } from './session-data.ts'

const maxTries = 20
const windowMs = 60_000

/** Counts a try. Errors: `rate_limit_exceeded`. */
export async function countTry(
  { ports }: Pick<ServiceContext, 'ports'>,
  address: string,
  account: string,
): Promise<void> {
  const tries = await ports.shared.increment(`sign-in:${sha256(`${address}\n${account}`)}`, windowMs)
  if (tries <= maxTries) return
  throw new GatewayError('rate_limit_exceeded', `At most ${maxTries} tries a minute are allowed.`, {
    headers: { 'retry-after': String(windowMs / 1000) },
  })
}
