/** The `gateway` command: finds the subcommand, runs it, and maps errors to exit codes. */
import { readFile } from 'node:fs/promises'
import type { Command } from './command.ts'
import { exitCodes, processTerminal, type Terminal, UsageError } from './terminal.ts'
import { helpOf, overview, unknownCommand, usageError } from './usage.ts'

/** Loaded lazily: `gateway --version` needs no server. */
const commands: Readonly<Record<string, () => Promise<{ command: Command }>>> = {
  start: () => import('./start.ts'),
  init: () => import('./init.ts'),
  check: () => import('./check.ts'),
  doctor: () => import('./doctor.ts'),
  health: () => import('./health.ts'),
  plugins: () => import('./plugins.ts'),
  keys: () => import('./keys.ts'),
  try: () => import('./try.ts'),
  'rotate-encryption-key': () => import('./rotate-encryption-key.ts'),
  logs: () => import('./logs.ts'),
  mcp: () => import('./mcp.ts'),
  batch: () => import('./batch.ts'),
  replay: () => import('./replay.ts'),
  export: () => import('./export.ts'),
  import: () => import('./import.ts'),
  connect: () => import('./connect.ts'),
  new: () => import('./new.ts'),
  schema: () => import('./schema.ts'),
  docs: () => import('./docs.ts'),
  completion: () => import('./completion.ts'),
}

/** Runs a command line and returns its exit code. */
export async function main(words: string[], terminal: Terminal = processTerminal()): Promise<number> {
  const [name, ...rest] = words
  if (name === '--version' || name === '-v') {
    terminal.out(`${await version()}\n`)
    return exitCodes.done
  }
  try {
    if (name === undefined) throw new UsageError('No command specified.')
    if (name === 'help' || name === '--help' || name === '-h') return showHelp(rest[0], terminal)
    if (!Object.hasOwn(commands, name)) throw new UsageError(unknownCommand(name))
    if (rest.includes('--help') || rest.includes('-h')) return showHelp(name, terminal)
    const load = commands[name] as () => Promise<{ command: Command }>
    const { command } = await load()
    return await command.run(rest, terminal)
  } catch (error) {
    if (!(error instanceof UsageError)) throw error
    terminal.err(usageError(error.message, name))
    return exitCodes.usage
  }
}

function showHelp(name: string | undefined, terminal: Terminal): number {
  const text = name === undefined ? overview() : helpOf(name)
  if (text === null) throw new UsageError(unknownCommand(String(name)))
  terminal.out(text)
  return exitCodes.done
}

async function version(): Promise<string> {
  const manifest = await readFile(new URL('../../package.json', import.meta.url), 'utf8')
  return String((JSON.parse(manifest) as { version: unknown }).version)
}
