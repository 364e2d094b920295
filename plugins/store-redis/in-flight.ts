/** Limits the commands in flight and queues the others in order: a burst must not overflow the client's queue. */

/** Runs a command when it is its turn. */
export type InTurn = <T>(command: () => Promise<T>) => Promise<T>

export function limitInFlight(most: number): InTurn {
  let running = 0
  let queue: (() => void)[] = []
  let head = 0

  function next(): void {
    running -= 1
    queue[head++]?.()
    if (head < queue.length) return
    queue = []
    head = 0
  }

  async function run<T>(command: () => Promise<T>): Promise<T> {
    running += 1
    try {
      return await command()
    } finally {
      next()
    }
  }

  return (command) => {
    if (running < most) return run(command)
    return new Promise((resolve, reject) => {
      queue.push(() => void run(command).then(resolve, reject))
    })
  }
}
