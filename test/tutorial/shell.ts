/**
 * One shell for many blocks of commands, as for a reader: its directory and variables persist from one block to the
 * next.
 */
import { spawn } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'

interface Outcome {
  /** The status of the last command. */
  status: number
  /** Both outputs, as they came. */
  output: string
  /** The current directory. */
  directory: string
}

export interface Shell {
  run(commands: string): Promise<Outcome>
  close(): Promise<void>
}

/** @param folder for the shell's own files */
export function openShell(directory: string, folder: string, environment: Record<string, string>): Shell {
  const child = spawn('sh', [], { cwd: directory, env: environment, stdio: ['pipe', 'pipe', 'inherit'] })
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  let count = 0
  return {
    async run(commands) {
      count += 1
      const script = join(folder, `block-${count}.sh`)
      const output = join(folder, `block-${count}.txt`)
      await writeFile(script, commands)
      child.stdin.write(`. '${script}' > '${output}' 2>&1 < /dev/null; printf '%s %s\\n' "$?" "$PWD"\n`)
      const { value, done } = await lines.next()
      if (done === true) throw new Error(`The shell ended:\n${await readFile(output, 'utf8')}`)
      const [, status = '', where = ''] = /^(\d+) (.*)$/.exec(value) ?? []
      return { status: Number(status), output: await readFile(output, 'utf8'), directory: where }
    },
    async close() {
      child.stdin.end()
      await ended
    },
  }
}
