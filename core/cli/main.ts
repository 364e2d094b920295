/** The `gateway` command: finds the sub-command, runs it, and turns what it throws into an exit code. */
import { readFile } from 'node:fs/promises'
import type { Command } from './command.ts'
import { exitCodes, processTerminal, type Terminal, UsageError } from './terminal.ts'
import { usage } from './usage.ts'

/** Loaded when asked for: `gateway --version` needs no server. */
const commands: Readonly<Record<string, () => Promise<{ command: Command }>>> = {
  start: () => import('./start.ts'),
  check: () => import('./check.ts'),
  plugins: () => import('./plugins.ts'),
  keys: () => import('./keys.ts'),
  try: () => import('./try.ts'),
  'rotate-encryption-key': () => import('./rotate-encryption-key.ts'),
  export: () => import('./export.ts'),
  import: () => import('./import.ts'),
  new: () => import('./new.ts'),
  schema: () => import('./schema.ts'),
  docs: () => import('./docs.ts'),
}

/** Runs a command line and gives its exit code. */
export async function main(words: string[], terminal: Terminal = processTerminal()): Promise<number> {
  const [name, ...rest] = words
  if (name === '--version' || name === '-v') {
    terminal.out(`${await version()}\n`)
    return exitCodes.done
  }
  if (name === 'help' || name === '--help' || name === '-h' || rest.includes('--help')) {
    terminal.out(usage)
    return exitCodes.done
  }
  try {
    if (name === undefined || !Object.hasOwn(commands, name)) {
      throw new UsageError(name === undefined ? 'A command is needed.' : `There is no command "${name}".`)
    }
    const load = commands[name] as () => Promise<{ command: Command }>
    const { command } = await load()
    return await command.run(rest, terminal)
  } catch (error) {
    if (!(error instanceof UsageError)) throw error
    terminal.err(`${error.message}\n\n${usage}`)
    return exitCodes.usage
  }
}

async function version(): Promise<string> {
  const manifest = await readFile(new URL('../../package.json', import.meta.url), 'utf8')
  return String((JSON.parse(manifest) as { version: unknown }).version)
}
