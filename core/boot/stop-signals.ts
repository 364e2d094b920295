/**
 * The signals that stop a process. The first one stops it gracefully; a second one ends it immediately, even with
 * requests in flight. The terminal and npm both deliver a single Ctrl-C, within milliseconds of each other, so these
 * two count as one signal.
 */
import process from 'node:process'

export type StopSignal = 'SIGTERM' | 'SIGINT'

/**
 * The signals of a system and what they do. On Windows, SIGBREAK is Ctrl-Break, and SIGHUP is a closed console, whose
 * processes end some seconds later. https://nodejs.org/docs/latest-v20.x/api/process.html#signal-events
 */
export function signalsOf(platform: NodeJS.Platform): {
  stop: ReadonlyMap<NodeJS.Signals, StopSignal>
  reload: NodeJS.Signals | null
} {
  const stop = new Map<NodeJS.Signals, StopSignal>([
    ['SIGTERM', 'SIGTERM'],
    ['SIGINT', 'SIGINT'],
  ])
  if (platform !== 'win32') return { stop, reload: 'SIGHUP' }
  return { stop: stop.set('SIGBREAK', 'SIGINT').set('SIGHUP', 'SIGINT'), reload: null }
}

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
    for (const [name, signal] of signalsOf(process.platform).stop) process.on(name, () => receive(signal))
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
