/**
 * The signals that stop a process. The first one stops it gracefully; a second one ends it immediately, even with
 * requests in flight. The terminal and npm both deliver a single Ctrl-C, within milliseconds of each other, so these
 * two count as one signal.
 */
import process from 'node:process'

export type StopSignal = 'SIGTERM' | 'SIGINT'

const sameSignalMs = 300

/** The exit codes that a shell reports for a process that a signal ended. */
const exitCodes: Readonly<Record<StopSignal, number>> = { SIGINT: 130, SIGTERM: 143 }

/**
 * Resolves at the first signal.
 * @param beforeExit runs synchronously before a second signal ends the process
 */
export function untilSignal(beforeExit: () => void): Promise<StopSignal> {
  return new Promise((resolve) => {
    let firstAt: number | null = null
    const receive = (signal: StopSignal) => {
      if (firstAt === null) {
        firstAt = performance.now()
        resolve(signal)
      } else if (performance.now() - firstAt > sameSignalMs) {
        beforeExit()
        process.exit(exitCodes[signal])
      }
    }
    process.on('SIGTERM', receive)
    process.on('SIGINT', receive)
  })
}

/**
 * A closed terminal or pipe must not end the process. The error cannot be reported, because the output itself is
 * closed.
 */
export function tolerateClosedOutput(): void {
  const ignore = () => undefined
  process.stdout.on('error', ignore)
  process.stderr.on('error', ignore)
}
