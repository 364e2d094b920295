/**
 * Progress of long work on stderr: a bar with an estimate on a terminal, otherwise a plain line at every tenth.
 * https://www.npmjs.com/package/cli-progress
 */
import type { Terminal } from './terminal.ts'

export interface Progress {
  /** So many more are done. */
  advance(count?: number): void
  /** Leaves the last state of the bar on the screen. */
  end(): void
}

/** Shorter work ends before its progress could be read. */
const fewest = 10_000

/** @param title what is done, such as `Exporting records` */
export async function startProgress(
  terminal: Pick<Terminal, 'err' | 'progressStream'>,
  title: string,
  total: number,
): Promise<Progress> {
  if (total < fewest) return { advance: () => undefined, end: () => undefined }
  const { progressStream } = terminal
  return progressStream === undefined ? lines(terminal, title, total) : bar(progressStream, title, total)
}

async function bar(stream: NodeJS.WritableStream, title: string, total: number): Promise<Progress> {
  const { default: library } = await import('cli-progress')
  const shown = new library.SingleBar({
    stream,
    format: `${title} {bar} {percentage} % | {value} of {total} | {eta_formatted} left`,
    barCompleteChar: '█',
    barIncompleteChar: '░',
    etaBuffer: 1000,
    hideCursor: true,
  })
  shown.start(total, 0)
  return {
    advance: (count = 1) => shown.increment(count),
    end: () => shown.stop(),
  }
}

function lines(terminal: Pick<Terminal, 'err'>, title: string, total: number): Progress {
  let done = 0
  return {
    advance(count = 1) {
      const before = Math.floor((done * 10) / total)
      done += count
      const now = Math.floor((done * 10) / total)
      if (now > before && done <= total) terminal.err(`${title}: ${done} of ${total} (${now * 10} %)\n`)
    },
    end: () => undefined,
  }
}
