/**
 * Counts the requests in flight that no client of a model waits for: the lines that this service sends, and the calls of
 * its own endpoints, such as those of a client that polls its batch.
 */
import type { EndpointHandler, InferenceRequest, ServiceContext } from '@gateway/contract'

type Handlers = Readonly<Record<string, EndpointHandler>>

interface RequestCount {
  /** As given, with its inference counted. */
  context: ServiceContext
  /** The same handlers, with their requests counted. */
  counted<Of extends Handlers>(handlers: Of): Of
  running(): number
}

export function countRequests(given: ServiceContext): RequestCount {
  let running = 0

  function begin(): () => void {
    let isOver = false
    running += 1
    return () => {
      if (!isOver) running -= 1
      isOver = true
    }
  }

  function runInference(request: InferenceRequest) {
    const end = begin()
    const { records } = request
    if (records === undefined) return given.runInference(request).finally(end)
    const ended = () => {
      end()
      records.ended?.()
    }
    // Its answer comes before it is over.
    return given.runInference({ ...request, records: { ...records, ended } })
  }

  const countedHandler =
    (handler: EndpointHandler): EndpointHandler =>
    (request) => {
      const end = begin()
      return handler(request).finally(end)
    }

  return {
    context: { ...given, runInference },
    counted: (handlers) => ({ ...handlers, ...mapValues(handlers, countedHandler) }),
    running: () => running,
  }
}

const mapValues = <From, To>(record: Readonly<Record<string, From>>, to: (value: From) => To) =>
  Object.fromEntries(Object.entries(record).map(([name, value]) => [name, to(value)]))
