/** What a command talks to; the process in earnest, a recording in tests. */
import type { Environment } from '../config/file/environment.ts'
import type { ProgressOutput } from '../shared/progress.ts'

export interface Terminal extends ProgressOutput {
  out(text: string): void
  environment: Environment
  /** Relative paths start here. */
  directory: string
  /** All of the standard input. */
  readInput(): Promise<string>
  /** Whether people read the output as it comes. */
  isTerminal?: boolean
  /** Whether a command that goes on should end; absent: a signal ends it. */
  isDone?(): boolean
}

export const exitCodes = { done: 0, failed: 1, usage: 2 } as const

/** A command line that makes no sense: its message and the usage go to stderr, and the exit code is 2. */
export class UsageError extends Error {}

export function processTerminal(): Terminal {
  return {
    out: (text) => process.stdout.write(text),
    err: (text) => process.stderr.write(text),
    environment: process.env,
    directory: process.cwd(),
    isTerminal: process.stdout.isTTY === true,
    ...(process.stderr.isTTY === true ? { progressStream: process.stderr } : {}),
    async readInput() {
      const chunks: Buffer[] = []
      for await (const chunk of process.stdin) chunks.push(Buffer.from(chunk))
      return Buffer.concat(chunks).toString('utf8')
    },
  }
}
