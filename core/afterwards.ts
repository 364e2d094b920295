/** Work that waits for the last byte of an answer, so that it can neither delay nor change it. */
export interface Afterwards {
  /** Takes work to do when the answer is over; at once, if it is already. */
  add(work: () => void): void
  /** The answer is over. */
  begin(): void
}

export function createAfterwards(): Afterwards {
  const waiting: (() => void)[] = []
  let hasBegun = false
  return {
    add(work) {
      if (hasBegun) work()
      else waiting.push(work)
    },
    begin() {
      hasBegun = true
      for (const work of waiting.splice(0)) work()
    },
  }
}
