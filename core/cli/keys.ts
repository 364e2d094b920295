/**
 * `gateway keys`: creates, lists, rotates and revokes keys in the config file or, with `--store`, in the store.
 */
import { randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { readFile, realpath, rename, stat, writeFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import {
  addKey,
  formatOf,
  keyHash,
  type NewKey,
  parseFileText,
  readFileText,
  removeKey,
  replaceKey,
  utcTime,
} from '@gateway/config-file'
import { allScopes, createKey, normaliseScope, unknownName } from '@gateway/domain'
import { builtInNotice, configPath, locateConfig, resetAdminKey, resolveOptions } from '../boot/index.ts'
import { type Command, configOption, readArguments, unknownWord } from './command.ts'
import { openStore } from './open-store.ts'
import { storedKeyActions } from './stored-keys.ts'
import { table } from './table.ts'
import { exitCodes, type Terminal, UsageError } from './terminal.ts'

const options = {
  ...configOption,
  write: { type: 'boolean' },
  store: { type: 'boolean' },
  name: { type: 'string' },
  scopes: { type: 'string' },
  workspace: { type: 'string' },
  'expires-at': { type: 'string' },
} as const

type Values = ReturnType<typeof readArguments<typeof options>>['values']

interface Call {
  values: Values
  /** The config file. */
  path: string
  /** The argument after the action. */
  name: string | undefined
  terminal: Terminal
}

const defaultScopes: readonly string[] = ['completions.write', 'models.list']

const actions: Readonly<Record<string, (call: Call) => Promise<void>>> = {
  create,
  list,
  rotate,
  revoke,
  hash,
  'reset-admin': resetAdmin,
}

/** The options of each action besides --config. */
const allowed: Readonly<Record<string, readonly (keyof typeof options)[]>> = {
  create: ['write', 'store', 'name', 'scopes', 'workspace', 'expires-at'],
  list: ['store'],
  rotate: ['write', 'store'],
  revoke: ['write', 'store'],
}

export const command: Command = {
  async run(words, terminal) {
    const { values, positionals } = readArguments(words, options, 2)
    const [action = '', name] = positionals
    const act = Object.hasOwn(actions, action) ? actions[action] : undefined
    const known = Object.keys(actions)
    if (act === undefined)
      throw unknownWord('action', positionals[0], {
        known,
        missing: `keys needs one of: ${known.join(', ')}.`,
      })
    for (const option of Object.keys(values) as (keyof typeof options)[]) {
      if (option !== 'config' && allowed[action]?.includes(option) !== true) {
        throw new UsageError(`keys ${action} does not take --${option}.`)
      }
    }
    const takesName = action === 'rotate' || action === 'revoke'
    if (takesName !== (name !== undefined)) {
      throw new UsageError(takesName ? `keys ${action} needs a NAME.` : `Unexpected argument "${name}".`)
    }
    if (values.store === true && values.write === true) {
      throw new UsageError('--store writes to the store, --write to the config file: use one of them.')
    }
    const path = resolve(terminal.directory, configPath(values, terminal.environment))
    try {
      if (values.store === true) return await actInStore(action, { values, name, terminal })
      await act({ values, path, name, terminal })
      return exitCodes.done
    } catch (error) {
      if (error instanceof UsageError || !(error instanceof Error)) throw error
      terminal.err(`${error.message}\n`)
      return exitCodes.failed
    }
  },
}

/** Running gateways are notified as of any change. */
async function actInStore(action: string, { values, name, terminal }: Omit<Call, 'path'>): Promise<number> {
  const act = storedKeyActions[action]
  if (act === undefined) throw new UsageError(`keys ${action} does not take --store.`)
  const expiresAt = readTime(values['expires-at'])
  const opened = await openStore(values.config === undefined ? {} : { config: values.config }, terminal)
  if (opened === null) return exitCodes.failed
  const { ports } = opened
  try {
    const { name: keyName, scopes: written, workspace } = values
    await act({
      documents: ports.documents,
      keyPrefix: keyPrefix(terminal),
      name,
      values: { name: keyName, scopes: written, workspace, expiresAt },
      terminal,
      nowMs: Date.now(),
    })
    return exitCodes.done
  } finally {
    await ports.close()
  }
}

function readTime(written: string | undefined): string | undefined {
  const time = written === undefined ? undefined : utcTime(written)
  if (time === null)
    throw new UsageError('--expires-at must be an ISO 8601 time, such as 2030-01-31T12:00:00Z.')
  return time
}

async function create({ values, path, terminal }: Call): Promise<void> {
  if (values.name === undefined) throw new UsageError('keys create needs --name NAME.')
  const granted = values.scopes === undefined ? defaultScopes : readScopes(values.scopes)
  const expiresAt = readTime(values['expires-at'])
  const entry: NewKey = {
    name: values.name,
    scopes: granted,
    workspace: values.workspace ?? 'default',
    ...(expiresAt === undefined ? {} : { expires_at: expiresAt }),
  }
  const key = createKey(keyPrefix(terminal))
  if (values.write === true) await edit(path, (text) => addKey(text, entry, keyHash(key)))
  showKey(key, terminal)
  if (values.write !== true) {
    terminal.err(`Add it to ${path}:\n\n`)
    terminal.out(addKey('', entry, keyHash(key)))
  }
}

function readScopes(list: string): string[] {
  return list.split(',').map((written) => {
    const scope = normaliseScope(written)
    if (scope === null) throw new UsageError(unknownName({ what: 'scope', written, known: allScopes }))
    return scope
  })
}

async function list({ values, terminal }: Call): Promise<void> {
  const { written, path, isBuiltIn } = locateConfig(values, terminal.environment, terminal.directory)
  if (isBuiltIn) terminal.err(`${builtInNotice(written)}\n`)
  const text = await readText(path)
  const { value } = parseFileText(text, terminal.environment, formatOf(path))
  if (value === undefined) throw new Error('The file has errors: see `gateway check`.')
  const keys = (value as { api_keys?: unknown } | null | undefined)?.api_keys
  const rows = (Array.isArray(keys) ? keys : []).map((key: Record<string, unknown>) => [
    String(key?.name ?? ''),
    String(key?.workspace ?? 'default'),
    [key?.scopes ?? []].flat().join(','),
    String(key?.expires_at ?? ''),
  ])
  terminal.out(table(['NAME', 'WORKSPACE', 'SCOPES', 'EXPIRES'], rows))
}

async function rotate({ values, path, name = '', terminal }: Call): Promise<void> {
  const key = createKey(keyPrefix(terminal))
  const changed = replaceKey(await readText(path), name, keyHash(key))
  if (values.write === true) await edit(path, () => changed)
  showKey(key, terminal)
  if (values.write !== true) {
    terminal.err(`Replace the hash of "${name}" in ${path}:\n\n`)
    terminal.out(`    key_hash: ${keyHash(key)}\n`)
  }
}

async function revoke({ values, path, name = '', terminal }: Call): Promise<void> {
  const changed = removeKey(await readText(path), name)
  if (values.write === true) {
    await edit(path, () => changed)
    terminal.err(`Removed "${name}" from ${path}.\n`)
  } else {
    terminal.err(`Remove the entry with "name: ${name}" under api_keys in ${path}, or use --write.\n`)
  }
}

async function hash({ terminal }: Call): Promise<void> {
  const [line = ''] = (await terminal.readInput()).split(/\r?\n/)
  if (line.trim() === '') throw new Error('No key on standard input.')
  terminal.out(`${keyHash(line.trim())}\n`)
}

/** Works without the lost key: write access to the data folder is sufficient to replace it. */
async function resetAdmin({ terminal }: Call): Promise<void> {
  const { options } = resolveOptions({}, terminal.environment, null)
  if ((options.adminKey ?? '') !== '')
    throw new Error(
      'The admin key comes from GATEWAY_ADMIN_KEY: change the variable and restart the gateway.',
    )
  const key = await resetAdminKey(resolve(terminal.directory, options.dataDir), keyPrefix(terminal))
  terminal.err(
    'The new admin key, shown only this once. The old one stops working when the gateway restarts.\n',
  )
  terminal.out(`${key}\n`)
}

function showKey(key: string, terminal: Terminal): void {
  terminal.err('The key is shown only this once; the config file contains only its hash.\n')
  terminal.out(`${key}\n`)
}

function keyPrefix(terminal: Terminal): string {
  const { options, faults } = resolveOptions({}, terminal.environment, null)
  const fault = faults.find(({ source }) => source === 'API_KEY_PREFIX')
  if (fault !== undefined) throw new UsageError(`${fault.source} ${fault.message}.`)
  return options.apiKeyPrefix
}

async function readText(path: string): Promise<string> {
  const text = await readFileText(path)
  if (typeof text === 'string') return text
  const advice = existsSync(path) ? '' : ', or use --store for keys in the store'
  throw new Error(`${path} ${text.message}${advice}`)
}

/** Replaces a file atomically. A watching gateway never reads half of it. */
async function edit(path: string, change: (text: string) => string): Promise<void> {
  await readText(path)
  const target = await realpath(path)
  const changed = change(await readFile(target, 'utf8'))
  const draft = `${target}.${randomUUID()}.tmp`
  await writeFile(draft, changed, { mode: (await stat(target)).mode })
  await rename(draft, target)
}
