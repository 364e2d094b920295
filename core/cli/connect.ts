/** `gateway connect`: points a coding agent at the gateway, with a key that has a budget. */
import { homedir } from 'node:os'
import { join } from 'node:path'
import { unknownName } from '../domain/unknown-name.ts'
import { type Command, readArguments } from './command.ts'
import { fillSettings, readAgents } from './connect/agents.ts'
import { readIfAny, restore, writeWithBackup } from './connect/backup.ts'
import { createAgentKey } from './connect/create-key.ts'
import { editSettings } from './connect/edit-settings.ts'
import { exitCodes, type Terminal, UsageError } from './terminal.ts'

const options = {
  url: { type: 'string' },
  key: { type: 'string' },
  model: { type: 'string' },
  budget: { type: 'string' },
  workspace: { type: 'string' },
  'dry-run': { type: 'boolean' },
  undo: { type: 'boolean' },
} as const

type Options = ReturnType<typeof readArguments<typeof options>>['values']

export const command: Command = {
  async run(words, terminal) {
    const { values, positionals } = readArguments(words, options, 1)
    const [name] = positionals
    const agents = await readAgents()
    const known = Object.keys(agents)
    if (name === undefined) throw new UsageError(`Specify an agent: ${known.join(', ')}.`)
    const agent = Object.hasOwn(agents, name) ? agents[name] : undefined
    if (agent === undefined) throw new UsageError(unknownName({ what: 'agent', written: name, known }))
    const file = join(terminal.environment.HOME ?? homedir(), agent.file)
    try {
      if (values.undo === true) {
        const isRestored = await restore(file)
        terminal.out(isRestored ? `Restored ${file}.\n` : `${file} has no backup: nothing to undo.\n`)
        return isRestored ? exitCodes.done : exitCodes.failed
      }
      const before = await readIfAny(file)
      const url = (values.url ?? 'http://127.0.0.1:8787').replace(/\/+$/, '')
      const isTrial = values['dry-run'] === true
      // Detects settings that cannot be edited before creating a key.
      const withKey = (key: string) =>
        editSettings(
          before ?? '',
          agent.format,
          fillSettings(agent.settings, { url, key, model: values.model ?? null }),
        )
      withKey('')
      const key = await findKey(name, url, values, terminal)
      const plan = key === null ? withKey('(a new key)') : withKey(masked(key))
      terminal.out(
        `${agent.title}: ${file}${before === null ? ' (a new file)' : ''}\n\n${added(before, plan)}\n`,
      )
      if (isTrial || key === null) {
        terminal.out('Dry run: nothing was written.\n')
        return exitCodes.done
      }
      await writeWithBackup(file, before, withKey(key))
      terminal.out(`Written. ${agent.next}\nTo restore the settings: gateway connect ${name} --undo\n`)
      return exitCodes.done
    } catch (error) {
      if (!(error instanceof Error) || error instanceof UsageError) throw error
      terminal.err(`Cannot connect ${agent.title}: ${file}: ${error.message}\n`)
      return exitCodes.failed
    }
  },
}

/** The key from the options or the environment, else a new one; null in a dry run that would create one. */
async function findKey(
  name: string,
  url: string,
  values: Options,
  terminal: Terminal,
): Promise<string | null> {
  const given = values.key ?? terminal.environment.GATEWAY_KEY
  if (given !== undefined) return given
  const budgetUsd = Number(values.budget ?? 20)
  if (!(budgetUsd > 0)) throw new UsageError('--budget must be an amount in US dollars, such as 20.')
  const adminKey = terminal.environment.GATEWAY_ADMIN_KEY
  if (adminKey === undefined)
    throw new UsageError(
      'Set GATEWAY_ADMIN_KEY to create a key with a budget, or pass a key with --key or GATEWAY_KEY.',
    )
  if (values['dry-run'] === true) return null
  const workspace = values.workspace ?? 'default'
  const key = await createAgentKey({ url, adminKey, name: `${name} agent`, workspace, budgetUsd })
  terminal.out(`Created an API key with a budget of ${budgetUsd} USD per month.\n`)
  return key
}

const masked = (key: string) => (key.length < 16 ? '…' : `${key.slice(0, 6)}…${key.slice(-4)}`)

/** Only the new lines: the rest of the file may contain secrets. */
function added(before: string | null, after: string): string {
  const known = new Set((before ?? '').split('\n'))
  return after
    .split('\n')
    .filter((line) => line !== '' && !known.has(line))
    .map((line) => `  + ${line}\n`)
    .join('')
}
