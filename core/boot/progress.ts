/**
 * Progress of long work on stderr: a bar with an estimate on a terminal, otherwise a plain line at every tenth.
 * https://www.npmjs.com/package/cli-progress
 */

export interface ProgressOutput {
  err(text: string): void
  /** The terminal for the bar; without one, lines are written to `err`. */
  progressStream?: NodeJS.WritableStream
}

export interface Progress {
  /** Adds to the completed count; `doing` names the next step. */
  advance(count?: number, doing?: string): void
  /** Stops the bar and leaves its last state on the screen. */
  end(): void
}

interface ProgressOptions {
  /** The amount of work below which no progress is shown. Default 10,000 records, which take only a moment. */
  fewest?: number
  /** The unit of the numbers, such as `seconds`. */
  unit?: string
}

interface StartProgressOptions extends ProgressOptions {
  title: string
  total: number
}

/** @param title the title of the work, such as `Exporting records` */
export async function startProgress(
  output: ProgressOutput,
  { title, total, fewest = 10_000, unit }: StartProgressOptions,
): Promise<Progress> {
  if (total < fewest) return { advance: () => undefined, end: () => undefined }
  const { progressStream } = output
  const work = { title, total, unit: unit === undefined ? '' : ` ${unit}` }
  return progressStream === undefined ? lines(output, work) : bar(progressStream, work)
}

interface Work {
  title: string
  total: number
  /** The unit; empty, or with a space before it. */
  unit: string
}

async function bar(stream: NodeJS.WritableStream, { title, total, unit }: Work): Promise<Progress> {
  const { default: library } = await import('cli-progress')
  const shown = new library.SingleBar({
    stream,
    format: `${title} {bar} {percentage} % | {value} of {total}${unit} | {eta_formatted} left{doing}`,
    barCompleteChar: '█',
    barIncompleteChar: '░',
    etaBuffer: 1000,
    etaAsynchronousUpdate: true,
    hideCursor: true,
  })
  shown.start(total, 0, { doing: '' })
  return {
    advance: (count = 1, doing) =>
      shown.increment(count, { doing: doing === undefined ? '' : ` | ${doing}` }),
    end: () => shown.stop(),
  }
}

function lines(output: ProgressOutput, { title, total, unit }: Work): Progress {
  let done = 0
  return {
    advance(count = 1, doing) {
      const before = Math.floor((done * 10) / total)
      done += count
      const now = Math.floor((done * 10) / total)
      const next = doing === undefined ? '' : `, ${doing}`
      if ((now > before || doing !== undefined) && done <= total)
        output.err(`${title}: ${done} of ${total}${unit} (${Math.floor((done * 100) / total)} %)${next}\n`)
    },
    end: () => undefined,
  }
}

export interface ProgressReporter {
  /** `done` of `total`; a new title starts a new piece of work. */
  report(title: string, done: number, total: number): void
  end(): void
}

/** Progress of work that reports it itself, such as migrations of a store. */
export function createProgressReporter(output: ProgressOutput): ProgressReporter {
  let current: { title: string; done: number; progress: Promise<Progress> } | null = null

  function end(): void {
    void current?.progress.then((progress) => progress.end())
    current = null
  }

  return {
    report(title, done, total) {
      if (current?.title !== title) {
        end()
        current = { title, done: 0, progress: startProgress(output, { title, total }) }
      }
      const count = done - current.done
      current.done = done
      void current.progress.then((progress) => progress.advance(count))
    },
    end,
  }
}
