/** A command's input and output: the process, or a recording in tests. */

import { createInterface } from 'node:readline/promises'
import type { Environment } from '@gateway/config-file'
import type { ProgressOutput } from '../boot/index.ts'

export interface Terminal extends ProgressOutput {
  out(text: string): void
  environment: Environment
  /** Relative paths start here. */
  directory: string
  /** The whole standard input. */
  readInput(): Promise<string>
  /** Asks the user a question; absent if no terminal is attached. */
  ask?(question: string): Promise<string>
  /** Whether the output goes to a terminal. */
  isTerminal?: boolean
  /** Whether a long-running command should stop; absent: it stops on a signal. */
  isDone?(): boolean
}

export const exitCodes = { done: 0, failed: 1, usage: 2 } as const

/** An invalid command line: its message and the usage go to stderr, and the exit code is 2. */
export class UsageError extends Error {}

export function processTerminal(): Terminal {
  return {
    out,
    err: (text) => process.stderr.write(text),
    environment: process.env,
    directory: process.cwd(),
    isTerminal: process.stdout.isTTY === true,
    ...(process.stderr.isTTY === true ? { progressStream: process.stderr } : {}),
    ...(process.stdin.isTTY === true && process.stdout.isTTY === true ? { ask } : {}),
    async readInput() {
      const chunks: Buffer[] = []
      for await (const chunk of process.stdin) chunks.push(Buffer.from(chunk))
      return Buffer.concat(chunks).toString('utf8')
    },
  }
}

let isGuarded = false

/** Ends the process when the reader of its output has gone. `gateway start` does not write here, and keeps running. */
function out(text: string): void {
  if (!isGuarded) process.stdout.on('error', endWithReader)
  isGuarded = true
  process.stdout.write(text)
}

function endWithReader(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EPIPE') throw error
  process.exit()
}

async function ask(question: string): Promise<string> {
  const lines = createInterface({ input: process.stdin, output: process.stdout })
  try {
    return await lines.question(question)
  } finally {
    lines.close()
  }
}
