/** `gateway try`: runs one check from the shell in the same way as the gateway, and prints its result as JSON. */
import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import {
  describeJsonFault,
  type Fault,
  isObject,
  type JsonObject,
  type Phase,
  parseJson,
} from '@gateway/contract'
import { type CompiledHook, uncounted } from '@gateway/flow'
import { resolves } from '@gateway/upstream'
import { describeFaults, type LoadedSettings, loadSettings } from '../boot/index.ts'
import { chat } from '../endpoints/index.ts'
import {
  type CheckEnvironment,
  compileHooks,
  createCheckInput,
  joinTexts,
  runHooks,
  textParts,
} from '../guardrails/index.ts'
import { createKeySets } from '../tenancy/index.ts'
import { type Command, configOption, readArguments } from './command.ts'
import { findPackages } from './packages.ts'
import { exitCodes, type Terminal, UsageError } from './terminal.ts'

const options = {
  ...configOption,
  text: { type: 'string' },
  parameters: { type: 'string' },
  phase: { type: 'string' },
  body: { type: 'string' },
  metadata: { type: 'string' },
} as const

export const command: Command = {
  async run(words, terminal) {
    const { values, positionals } = readArguments(words, options, 1)
    const [id] = positionals
    if (id === undefined) throw new UsageError('try needs the id of a check.')
    const parameters = objectOf(values.parameters, '--parameters')
    const metadata = textsOf(objectOf(values.metadata, '--metadata'))
    const settings = await openSettings(values, terminal)
    if (settings === null) return exitCodes.failed
    const phase = phaseOf(values.phase, id, settings)
    const faults: Fault[] = []
    const [hook] = compileHooks([{ id: 'try', checks: [{ id, parameters }] }], phase, {
      param: '',
      context: settings.context,
      faults,
    })
    if (hook === undefined || faults.length > 0) {
      for (const { param, message } of faults)
        terminal.err(`${param.replace('/0/checks/0', '')} ${message}\n`)
      await closeSettings(settings)
      return exitCodes.failed
    }
    const body = await readBody(values, phase, terminal)
    const isPassed = await runOne(hook, { phase, body, metadata }, { settings, terminal })
    await closeSettings(settings)
    return isPassed ? exitCodes.done : exitCodes.failed
  },
}

function objectOf(text: string | undefined, option: string): JsonObject {
  const value = parseJson(text ?? '{}')
  if (value === undefined) throw new UsageError(`${option} ${describeJsonFault(text ?? '')}.`)
  if (!isObject(value)) throw new UsageError(`${option} must be a JSON object.`)
  return value
}

function textsOf(metadata: JsonObject): Record<string, string> {
  return Object.fromEntries(
    Object.entries(metadata).map(([key, value]) => {
      if (typeof value !== 'string')
        throw new UsageError(`--metadata must contain only strings; ${key} is not a string.`)
      return [key, value]
    }),
  )
}

async function openSettings(
  values: { config?: string | undefined },
  terminal: Terminal,
): Promise<LoadedSettings | null> {
  const { path, registry, faults } = await findPackages(values, terminal)
  const loaded =
    faults.length > 0 ? null : await loadSettings({ path, environment: terminal.environment, registry })
  for (const fault of [...faults, ...describeFaults(path, loaded?.faults ?? [])]) terminal.err(`${fault}\n`)
  return loaded?.settings ?? null
}

async function closeSettings({ upstream, outbound }: LoadedSettings): Promise<void> {
  outbound.close()
  await upstream.close()
}

/** The given phase, otherwise the first one that the check supports. */
function phaseOf(named: string | undefined, id: string, { context }: LoadedSettings): Phase {
  if (named === 'before' || named === 'after') return named
  if (named !== undefined) throw new UsageError('--phase must be before or after.')
  const full = id.includes('.') ? id : `default.${id}`
  return context.registry.checks.get(full)?.check.phases[0] ?? 'before'
}

async function readBody(
  values: { text?: string | undefined; body?: string | undefined },
  phase: Phase,
  terminal: Terminal,
): Promise<JsonObject> {
  if (values.body !== undefined) {
    const body = parseJson(await readFile(resolve(terminal.directory, values.body), 'utf8'))
    if (!isObject(body)) throw new UsageError('--body must hold a JSON object.')
    return body
  }
  const text = values.text ?? (await terminal.readInput())
  return phase === 'before'
    ? { model: 'test-model', messages: [{ role: 'user', content: text }] }
    : { choices: [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content: text } }] }
}

interface Subject {
  phase: Phase
  body: JsonObject
  metadata: Readonly<Record<string, string>>
}

/** Returns whether the check passed. Prints its result, or the reason why it could not run. */
async function runOne(
  hook: CompiledHook,
  { phase, body, metadata }: Subject,
  { settings, terminal }: { settings: LoadedSettings; terminal: Terminal },
): Promise<boolean> {
  const inputOf = (json: JsonObject) =>
    createCheckInput({
      phase,
      endpoint: chat,
      provider: null,
      metadata,
      headers: {},
      request: { json: phase === 'before' ? json : { model: 'test-model', messages: [] } },
      response: phase === 'before' ? null : { json, status: 200 },
    })
  const outcome = await runHooks([hook], body, {
    inputOf,
    environment: environmentOf(settings),
    runLater: () => undefined,
  })
  const [result] = outcome.results
  const [check] = result?.checks ?? []
  const changed = outcome.body === body ? {} : { text: joinTexts(textParts(chat, phase, outcome.body)) }
  terminal.out(`${JSON.stringify({ ...check, ...changed }, null, 2)}\n`)
  return check?.verdict === true && check.error === null
}

function environmentOf({ outbound, guard }: LoadedSettings): CheckEnvironment {
  const shared = new Map<string, unknown>()
  return {
    signal: new AbortController().signal,
    fetchJson: (request, signal) => outbound.fetchJson(request, signal),
    fetch: (request, signal) => outbound.fetch(request, signal),
    openBuffer: () => uncounted,
    resolves: (hostname) => resolves(guard, hostname),
    readHeader: () => null,
    chatComplete: () => Promise.reject(new Error('A check that calls a model needs a running gateway.')),
    keySets: createKeySets({
      fetch: (request) => outbound.fetch(request),
      now: () => Date.now(),
    }),
    sharedOf: () => shared,
    checkRequest: () => undefined,
    reportError: () => undefined,
    reportRun: () => undefined,
  }
}
