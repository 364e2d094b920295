/** `gateway connect`: configures a coding agent to use the gateway, with a key that has a budget. */
import { homedir } from 'node:os'
import { join } from 'node:path'
import { unknownName } from '@gateway/domain'
import { type Command, readArguments } from './command.ts'
import { type Agent, readAgents, type Values } from './connect/agents.ts'
import { type CreatedKey, createAgentKey, moveConfig, refusalOf, revokeKey } from './connect/gateway-keys.ts'
import { diffOf, type FilePlan, keyIn, masked, overwrites, planOf } from './connect/plan.ts'
import { type Connection, type MadeKey, readConnection, readIfAny, saveConnection } from './connect/record.ts'
import { undoFile } from './connect/undo.ts'
import { writePlans } from './connect/write.ts'
import { exitCodes, type Terminal, UsageError } from './terminal.ts'

const options = {
  url: { type: 'string' },
  key: { type: 'string' },
  model: { type: 'string' },
  budget: { type: 'string' },
  workspace: { type: 'string' },
  'dry-run': { type: 'boolean' },
  yes: { type: 'boolean' },
  undo: { type: 'boolean' },
} as const

type Options = ReturnType<typeof readArguments<typeof options>>['values']

/** One run of the command. */
interface Run {
  name: string
  agent: Agent
  home: string
  url: string
  values: Options
  terminal: Terminal
  earlier: Connection | null
}

export const command: Command = {
  async run(words, terminal) {
    const { values, positionals } = readArguments(words, options, 1)
    const [name] = positionals
    const agents = await readAgents()
    const known = Object.keys(agents)
    if (name === undefined) throw new UsageError(`Specify an agent: ${known.join(', ')}.`)
    const agent = Object.hasOwn(agents, name) ? agents[name] : undefined
    if (agent === undefined) throw new UsageError(unknownName({ what: 'agent', written: name, known }))
    const home = terminal.environment.HOME ?? homedir()
    const { GATEWAY_HOST: host = '127.0.0.1', GATEWAY_PORT: port = '8787' } = terminal.environment
    const url = (values.url ?? `http://${host}:${port}`).replace(/\/+$/, '')
    try {
      const earlier = await readConnection(home, name)
      const run: Run = { name, agent, home, url, values, terminal, earlier }
      return values.undo === true ? await undo(run) : await connect(run)
    } catch (error) {
      if (!(error instanceof Error) || error instanceof UsageError) throw error
      terminal.err(`Cannot connect ${agent.title}: ${error.message}\n`)
      return exitCodes.failed
    }
  },
}

async function connect(run: Run): Promise<number> {
  const { agent, earlier, home, name, terminal, values } = run
  if (agent.needsModel === true && values.model === undefined)
    throw new UsageError(`${agent.title} needs a model: --model @SLUG/MODEL.`)
  const texts = await Promise.all(agent.files.map(({ file }) => readIfAny(join(home, file))))
  const found = await findKey(run, texts)
  const { model, provider } = modelOf(run, found.isOwn)
  const plansWith = (key: string) =>
    agent.files.map((file, index) => plan(file, texts[index] ?? null, { url: run.url, key, model }))
  const shown = plansWith(found.key ?? '(a new key)')
  for (const each of shown) show(each, terminal)
  if (values['dry-run'] === true) {
    terminal.out('Dry run: nothing was written.\n')
    return exitCodes.done
  }
  if (overwrites(shown) && !(await isConfirmed(run))) {
    terminal.err('Nothing was written.\n')
    return exitCodes.failed
  }
  const made = await prepareKey(run, found, provider)
  const files = await writePlans(home, plansWith(made.key), earlier?.files ?? [])
  await saveConnection(home, name, { files, key: made.record })
  terminal.out(`Written. ${agent.next}\nTo take the settings back: gateway connect ${name} --undo\n`)
  return exitCodes.done
}

function plan(...[file, text, values]: Parameters<typeof planOf>): FilePlan {
  try {
    return planOf(file, text, values)
  } catch (error) {
    throw new Error(`~/${file.file} ${error instanceof Error ? error.message : String(error)}`)
  }
}

function show(each: FilePlan, terminal: Terminal): void {
  const what = each.before === null ? ' (a new file)' : each.changes.length === 0 ? ' (unchanged)' : ''
  terminal.out(`~/${each.file.file}${what}\n\n${diffOf(each)}\n`)
}

interface FoundKey {
  /** The key; null if a key must be created. */
  key: string | null
  /** Whether this command creates the key, or created it earlier. */
  isOwn: boolean
}

/** The key of the options or the environment, otherwise that of the earlier connection, otherwise a new key. */
async function findKey(run: Run, texts: readonly (string | null)[]): Promise<FoundKey> {
  const { agent, earlier, terminal, url, values } = run
  const given = values.key ?? terminal.environment.GATEWAY_KEY
  if (given !== undefined) {
    await checkKey(run, given)
    return { key: given, isOwn: false }
  }
  const { provider } = modelOf(run, true)
  // The default config of a key is created with it.
  if (earlier?.key?.url === url && (provider === null || earlier.key.configId !== null)) {
    const unfilled: Values = { url, key: '', model: null }
    const [key] = agent.files.flatMap((file, index) => keyIn(file, texts[index] ?? '', unfilled) ?? [])
    if (key !== undefined && (await refusalOf(url, key)) === null) {
      terminal.out(`Using the key of the earlier connection: ${masked(key)}.\n`)
      return { key, isOwn: true }
    }
  }
  budgetOf(values)
  if (terminal.environment.GATEWAY_ADMIN_KEY === undefined)
    throw new UsageError(
      'Set GATEWAY_ADMIN_KEY to create a key with a budget, or pass a key with --key or GATEWAY_KEY.',
    )
  return { key: null, isOwn: true }
}

/** In a dry run the gateway need not be running. */
async function checkKey({ terminal, url, values }: Run, key: string): Promise<void> {
  const refusal = await refusalOf(url, key).catch((error: Error) => {
    if (values['dry-run'] !== true) throw error
    terminal.err(`The key was not checked: ${error.message}\n`)
    return null
  })
  if (refusal !== null) throw new Error(refusal)
}

function budgetOf({ budget }: Options): number {
  const budgetUsd = Number(budget ?? 20)
  if (!(budgetUsd > 0)) throw new UsageError('--budget must be an amount in US dollars, such as 20.')
  return budgetUsd
}

/** With a separate key, an agent that knows models by their plain names gets those; the key selects the provider. */
function modelOf({ agent, values }: Run, isOwn: boolean): { model: string | null; provider: string | null } {
  const [, provider, plain] = /^@([^/]+)\/(.+)$/.exec(values.model ?? '') ?? []
  if (agent.plainModel !== true || !isOwn || provider === undefined || plain === undefined)
    return { model: values.model ?? null, provider: null }
  return { model: plain, provider }
}

async function isConfirmed({ terminal, values }: Run): Promise<boolean> {
  if (values.yes === true) return true
  if (terminal.ask === undefined) {
    terminal.err('This overwrites settings: pass --yes to agree.\n')
    return false
  }
  return /^y(?:es)?$/i.test((await terminal.ask('Overwrite these settings? [y/N] ')).trim())
}

async function prepareKey(
  run: Run,
  { key, isOwn }: FoundKey,
  provider: string | null,
): Promise<{ key: string; record: MadeKey | null }> {
  const { agent, earlier, name, terminal, url, values } = run
  const adminKey = terminal.environment.GATEWAY_ADMIN_KEY ?? ''
  const known = earlier?.key ?? null
  if (key !== null) {
    const isMoved = isOwn && provider !== null && known !== null && provider !== known.provider
    if (!isMoved || known.configId === null) return { key, record: known }
    if (adminKey === '')
      throw new UsageError(`Set GATEWAY_ADMIN_KEY to move the key to the provider "${provider}".`)
    await moveConfig({ url, adminKey }, known.configId, provider)
    return { key, record: { ...known, provider } }
  }
  const budgetUsd = budgetOf(values)
  const workspace = values.workspace ?? 'default'
  const created: CreatedKey = await createAgentKey({
    url,
    adminKey,
    name: `${name} agent`,
    workspace,
    budgetUsd,
    provider,
  })
  terminal.out(`Created an API key with a budget of ${budgetUsd} USD per month.\n`)
  if (provider !== null) terminal.out(`Its default config sends every model to the provider "${provider}".\n`)
  else if (agent.plainModel === true)
    terminal.out(
      `It has no config: give it one with a provider, or connect again with --model @SLUG/MODEL, unless the workspace has one.\n`,
    )
  if (known?.url === url) await revokeKey({ url, adminKey }, known.id, known.configId)
  return { key: created.key, record: { id: created.id, url, configId: created.configId, provider } }
}

async function undo({ agent, earlier, home, name, terminal }: Run): Promise<number> {
  if (earlier === null) {
    terminal.out(`${agent.title} is not connected: nothing to undo.\n`)
    return exitCodes.failed
  }
  for (const written of earlier.files) {
    const { file, kept } = await undoFile(home, agent, written)
    terminal.out(`Restored ${file}.\n`)
    if (kept.length > 0) terminal.out(`Kept, because it was changed since: ${kept.join(', ')}.\n`)
  }
  const { key } = earlier
  await saveConnection(home, name, { files: [], key })
  if (key === null) return exitCodes.done
  const adminKey = terminal.environment.GATEWAY_ADMIN_KEY
  if (adminKey === undefined) {
    terminal.err(
      `The API key ${key.id} is still valid: set GATEWAY_ADMIN_KEY and repeat --undo to revoke it.\n`,
    )
    return exitCodes.failed
  }
  await revokeKey({ url: key.url, adminKey }, key.id, key.configId)
  await saveConnection(home, name, { files: [], key: null })
  terminal.out('Revoked the API key.\n')
  return exitCodes.done
}
