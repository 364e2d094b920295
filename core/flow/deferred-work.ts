/** Work that waits for the last byte of an answer, so that it can neither delay nor change it. */

import type { Phase } from '@gateway/contract'
import type { HookResult } from './hook-result.ts'

/** What an async hook found. */
export interface LateHook {
  phase: Phase
  result: HookResult
}

/** A hook tells what it found, null when it failed; other work has nothing to tell. */
type Work = () => Promise<LateHook | null> | undefined

export interface DeferredWork {
  /** Takes work to do when the answer is over; at once, if it is already. */
  add(work: Work): void
  /** The answer is over. Gives the hooks that run now. */
  begin(): Promise<LateHook | null>[]
}

export function createDeferredWork(): DeferredWork {
  const waiting: Work[] = []
  let hasBegun = false
  return {
    add(work) {
      if (hasBegun) void work()
      else waiting.push(work)
    },
    begin() {
      hasBegun = true
      return waiting.splice(0).flatMap((work) => work() ?? [])
    },
  }
}
