/**
 * Lets so many commands be under way at once and keeps the others in order: so the deadline of each measures the server,
 * and not how many requests came at the same time. When several fail in a row, those that wait fail at once.
 * Errors: `dependency_unavailable` for those that wait too long or for nothing.
 */
import { GatewayError } from '@gateway/contract'

/** Runs a command when its turn has come. */
export type InTurn = <T>(command: () => Promise<T>) => Promise<T>

interface Turn {
  begin(): void
  refuse(error: GatewayError): void
  queuedAt: number
}

const mostFailures = 5
/** Of a server that answers each one in time, and still has too many to answer. */
const longestWaitMs = 5000

export function limitInFlight(most: number): InTurn {
  let running = 0
  let failures = 0
  let queue: Turn[] = []
  let head = 0

  const waiting = () => queue.length - head

  function next(): void {
    while (running < most && waiting() > 0) {
      const turn = queue[head++]
      if (turn === undefined) continue
      if (Date.now() - turn.queuedAt > longestWaitMs) turn.refuse(tooMany())
      else turn.begin()
    }
    if (waiting() === 0) {
      queue = []
      head = 0
    }
  }

  function refuseAll(): void {
    const refused = queue.slice(head)
    queue = []
    head = 0
    for (const turn of refused) turn.refuse(tooMany())
  }

  async function run<T>(command: () => Promise<T>): Promise<T> {
    running += 1
    try {
      const answer = await command()
      failures = 0
      return answer
    } catch (error) {
      failures += 1
      if (failures >= mostFailures) refuseAll()
      throw error
    } finally {
      running -= 1
      next()
    }
  }

  return (command) => {
    if (running < most && waiting() === 0) return run(command)
    return new Promise((resolve, reject) => {
      const begin = () => void run(command).then(resolve, reject)
      queue.push({ begin, refuse: reject, queuedAt: Date.now() })
    })
  }
}

function tooMany(): GatewayError {
  return new GatewayError('dependency_unavailable', 'Redis answers more slowly than it is asked.')
}
