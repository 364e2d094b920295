/** Counts the requests of long work that are in flight, to distinguish them from those of clients. */
import type { Capabilities, InferenceRequest } from '@gateway/contract'

export interface InferenceCount {
  readonly running: number
  /** Counts what is sent through the function that it returns. */
  around(runInference: Capabilities['runInference']): Capabilities['runInference']
}

export function createInferenceCount(): InferenceCount {
  let running = 0

  return {
    get running() {
      return running
    },
    around: (runInference) => (request: InferenceRequest) => {
      let isOver = false
      const end = () => {
        if (!isOver) running -= 1
        isOver = true
      }
      running += 1
      const { records } = request
      if (records === undefined) return runInference(request).finally(end)
      const ended = () => {
        end()
        records.ended?.()
      }
      // Its answer comes before it is over.
      return runInference({ ...request, records: { ...records, ended } })
    },
  }
}
