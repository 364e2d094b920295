/** A body that is already complete, with the interface of a connection's body. */
import type { UpstreamBody } from '@gateway/flow'

const over = { done: true, value: undefined } as const

export function wholeBody(text: string): UpstreamBody {
  let left: Buffer | null = Buffer.from(text)
  const end = () => {
    left = null
  }
  return {
    async next() {
      if (left === null) return over
      const value = left
      left = null
      return { done: false, value }
    },
    async return() {
      end()
      return over
    },
    destroy: end,
    dump: end,
    [Symbol.asyncIterator]() {
      return this
    },
  }
}
