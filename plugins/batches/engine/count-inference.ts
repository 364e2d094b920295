/** Counts the requests of this service that are in flight, to distinguish them from those of clients. */
import type { InferenceRequest, ServiceContext } from '@gateway/contract'

export function countInference(given: ServiceContext): { context: ServiceContext; running(): number } {
  let running = 0

  function runInference(request: InferenceRequest) {
    let isOver = false
    const end = () => {
      if (!isOver) running -= 1
      isOver = true
    }
    running += 1
    const { records } = request
    if (records === undefined) return given.runInference(request).finally(end)
    const ended = () => {
      end()
      records.ended?.()
    }
    // Its answer comes before it is over.
    return given.runInference({ ...request, records: { ...records, ended } })
  }

  return { context: { ...given, runInference }, running: () => running }
}
