/**
 * A write that another one overtook begins anew, from what is stored now: the last one wins. Where the caller said which
 * version it was made for (`If-Match`) the next try compares it again; what is written beside the object (a count, a
 * default) is no affair of that version. Errors: `conflict` when it is overtaken again and again.
 */
import { setTimeout as wait } from 'node:timers/promises'
import { GatewayError, isGatewayError } from '@gateway/contract'
import type { Call } from './call.ts'
import { ifMatchParam } from './etag.ts'

const maxTries = 20
/** The longest wait before a try; waits are random, so that those who met once part. */
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
        throw new GatewayError('conflict', `This ${title} is being changed by others; try again.`)
      }
      // What was read once is old now.
      call.memory.clear()
      await wait(Math.random() * Math.min(longestWaitMs, 2 * attempt))
    }
  }
}
