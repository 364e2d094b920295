/**
 * Restarts a write that a concurrent write has overtaken, from the current state: the last write wins. With `If-Match`
 * the next attempt compares the version again; other documents written in the same commit (a count, a default) do not
 * affect that version. Errors: `conflict` when every attempt is overtaken.
 */
import { setTimeout as wait } from 'node:timers/promises'
import { GatewayError, isGatewayError } from '@gateway/contract'
import type { Call } from './call.ts'
import { ifMatchParam } from './etag.ts'

const maxTries = 20
/** The longest wait before an attempt. Waits are random so that two colliding writers do not collide again. */
const longestWaitMs = 40

export async function untilUncontested<Result>(
  call: Call,
  title: string,
  run: () => Promise<Result>,
): Promise<Result> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await run()
    } catch (error) {
      const isOvertaken =
        isGatewayError(error) && error.code === 'precondition_failed' && error.param !== ifMatchParam
      if (!isOvertaken) throw error
      if (attempt === maxTries) {
        throw new GatewayError(
          'conflict',
          `This ${title} is being changed by other requests. Send the request again.`,
        )
      }
      // Data read before is outdated.
      call.memory.clear()
      await wait(Math.random() * Math.min(longestWaitMs, 2 * attempt))
    }
  }
}
