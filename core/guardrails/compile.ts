/**
 * Compiles a config's hooks and guardrails: three notations, one compiled form. A check that does not exist, does not
 * support its phase, or has invalid parameters is an error, never a guard that passes.
 */

import { strangeAddresses } from '@gateway/config'
import {
  type Check,
  type Fault,
  type GuardrailPlugin,
  isGatewayError,
  isObject,
  type JsonObject,
  type Phase,
} from '@gateway/contract'
import {
  addressesIn,
  disabledGuardrail,
  type Guardrail,
  type Hook,
  reservedHookKeys,
  unknownName,
} from '@gateway/domain'
import { type CompiledCheck, type CompiledHook, type HookContext, phaseName } from '@gateway/flow'
import { createFillingValidator, createValidator, toFaults, type Validator } from '@gateway/validation'
import { timeoutOfParameters } from './check-io.ts'

interface CompileHooksOptions {
  param: string
  context: HookContext
  faults: Fault[]
}

/** Compiles the hooks of one phase, mutators first; errors are added to `faults` with their paths. */
export function compileHooks(
  items: readonly (string | Guardrail | Hook)[],
  phase: Phase,
  { param, context, faults }: CompileHooksOptions,
): CompiledHook[] {
  return items.flatMap((item, index) => {
    const hook = compileHook(item, phase, { param: `${param}/${index}`, context, faults })
    return hook === null ? [] : [hook]
  })
}

interface HookSite {
  param: string
  context: HookContext
  faults: Fault[]
}

function compileHook(
  item: string | Guardrail | Hook,
  phase: Phase,
  { param, context, faults }: HookSite,
): CompiledHook | null {
  if (typeof item === 'string') return compileNamed(item, phase, { param, context, faults })
  const before = faults.length
  const checks = listChecks(item, param).flatMap((entry) => {
    const compiled = compileCheck(entry, phase, { context, faults })
    return compiled === null ? [] : [compiled]
  })
  if (checks.length === 0 && faults.length === before) {
    faults.push({ param, code: 'invalid_config', message: 'has no checks' })
  }
  const type = item.type ?? (checks.some(({ check }) => check.kind === 'mutator') ? 'mutator' : 'guardrail')
  for (const { id, check } of checks) {
    if (type === 'guardrail' && check.kind === 'mutator') {
      faults.push({ param, code: 'invalid_config', message: `${id} changes text: it needs type mutator` })
    }
  }
  if (type === 'mutator' && item.async === true) {
    faults.push({ param: `${param}/async`, code: 'invalid_config', message: 'a mutator cannot be async' })
  }
  return {
    id: item.id ?? param,
    type,
    deny: item.deny ?? item.on_fail?.deny ?? checks.some(({ check }) => check.deny === true),
    denyOnSuccess: item.on_success?.deny ?? false,
    async: item.async ?? false,
    failClosed: item.fail_closed ?? context.failClosed,
    sequential: item.sequential ?? type === 'mutator',
    onFail: item.on_fail?.feedback ?? null,
    onSuccess: item.on_success?.feedback ?? null,
    checks,
  }
}

/**
 * Saved guardrails that are valid in a context, by phase and id, because a config can refer to one at each of many
 * targets.
 */
const savedHooks = new WeakMap<HookContext, Map<string, CompiledHook>>()

function compileNamed(id: string, phase: Phase, { param, context, faults }: HookSite): CompiledHook | null {
  const saved = Object.hasOwn(context.guardrails, id) ? context.guardrails[id] : undefined
  if (saved === undefined) {
    const message = unknownName({ what: 'guardrail', written: id, known: Object.keys(context.guardrails) })
    faults.push({ param, code: 'unknown_guardrail', message })
    return null
  }
  if (saved === disabledGuardrail) return null
  const hooks = savedHooks.get(context) ?? new Map<string, CompiledHook>()
  savedHooks.set(context, hooks)
  const known = hooks.get(`${phase}/${id}`)
  if (known !== undefined) return known
  const before = faults.length
  const hook = compileHook({ ...saved, id }, phase, { param, context, faults })
  if (hook !== null && faults.length === before) hooks.set(`${phase}/${id}`, hook)
  return hook
}

interface CheckEntry {
  id: string
  parameters: JsonObject
  param: string
  parametersParam: string
}

/** The checks of a hook in either form; in the short form an `id` inside the value replaces the key. */
function listChecks(item: Guardrail | Hook, param: string): CheckEntry[] {
  const listed = (item.checks ?? []).map(({ id, parameters }, index) => ({
    id,
    parameters: parameters as JsonObject,
    param: `${param}/checks/${index}/id`,
    parametersParam: `${param}/checks/${index}/parameters`,
  }))
  const short = Object.entries(item)
    .filter(([key]) => !reservedHookKeys.includes(key))
    .map(([key, value]) => {
      const { id, ...parameters } = isObject(value) ? value : {}
      const path = `${param}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`
      return { id: typeof id === 'string' ? id : key, parameters, param: path, parametersParam: path }
    })
  return [...listed, ...short].map((entry) => ({
    ...entry,
    id: entry.id.includes('.') ? entry.id : `default.${entry.id}`,
  }))
}

const phaseMismatches = new WeakSet<Fault>()

/** Whether an error says only that a check does not support the phase. */
export const isPhaseMismatch = (fault: Fault): boolean => phaseMismatches.has(fault)

function compileCheck(
  entry: CheckEntry,
  phase: Phase,
  { context, faults }: { context: HookContext; faults: Fault[] },
): CompiledCheck | null {
  const found = context.registry.checks.get(entry.id)
  const refused = found === undefined ? unknownCheck(entry, context) : phaseFault(entry, found.check, phase)
  if (found === undefined || refused !== null) {
    if (refused !== null) faults.push(refused)
    return null
  }
  const parameters = structuredClone(entry.parameters)
  const settings = context.pluginSettings[found.plugin.name] ?? {}
  try {
    const wrong = parameterFaults(entry, { check: found.check, parameters, context })
    const allWrong =
      wrong.length > 0 ? wrong : faultsOfSettings(entry, { plugin: found.plugin, settings, context })
    if (allWrong.length > 0) {
      faults.push(...allWrong)
      return null
    }
    return {
      id: entry.id,
      check: found.check,
      // The parameters' type follows from the schema that they have just passed.
      prepared: found.check.prepare(parameters as never, settings),
      settings,
      timeoutMs: timeoutOfParameters(parameters),
      headerName: headerNameOf(found.check, parameters),
    }
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    const isTooComplex = isGatewayError(error) && error.code === 'schema_too_complex'
    const code = isTooComplex ? 'schema_too_complex' : 'invalid_config'
    faults.push({ param: entry.parametersParam, code, message })
    return null
  }
}

function unknownCheck({ id, param }: CheckEntry, { registry }: HookContext): Fault {
  const message = unknownName({ what: 'check', written: id, known: registry.checks.keys() })
  return { param, code: 'unknown_check', message }
}

function phaseFault({ id, param }: CheckEntry, { phases }: Check, phase: Phase): Fault | null {
  if (phases.includes(phase)) return null
  const fault: Fault = { param, code: 'invalid_config', message: `${id} is not an ${phaseName[phase]} check` }
  phaseMismatches.add(fault)
  return fault
}

/** @param parameters those of the entry, which get the schema's defaults */
function parameterFaults(
  entry: CheckEntry,
  { check, parameters, context }: { check: Check; parameters: JsonObject; context: HookContext },
): Fault[] {
  const errors = validatorOf(check)(parameters)
  if (errors !== null) return toFaults(errors, 'invalid_config', entry.parametersParam)
  return context.writtenUrls === undefined ? [] : urlFaults(entry, context.writtenUrls)
}

/** Errors of the plugin's settings, reported at the check that needs them. */
function faultsOfSettings(
  { param }: CheckEntry,
  given: { plugin: GuardrailPlugin; settings: JsonObject; context: HookContext },
): Fault[] {
  const { plugin, settings, context } = given
  // Settings in the config file were validated with it; without any, they are `{}` as soon as a check is used.
  const isWritten = context.pluginSettings[plugin.name] !== undefined
  const missing = isWritten ? [] : settingsFaults(plugin, settings)
  if (missing.length > 0) return missing.map((message) => ({ param, code: 'invalid_config', message }))
  const [strange] = strangeAddresses(plugin, settings, { context })
  if (strange === undefined) return []
  const message = `${plugin.name}: ${strange.param.slice(1)} of its settings ${strange.message}`
  return [{ ...strange, param, message }]
}

/** Finds forbidden addresses in the parameters. The host guard checks again at call time, with its resolver. */
function urlFaults(
  { parameters, parametersParam }: CheckEntry,
  checkUrl: NonNullable<HookContext['writtenUrls']>,
): Fault[] {
  return addressesIn(parameters, parametersParam).flatMap(({ param, url }): Fault[] => {
    const message = checkUrl(url)
    return message === null ? [] : [{ param, code: 'host_not_allowed', message }]
  })
}

function headerNameOf({ headerParameter }: Check, parameters: JsonObject): string | null {
  const name = headerParameter === undefined ? undefined : parameters[headerParameter]
  return typeof name === 'string' ? name.toLowerCase() : null
}

const validators = new WeakMap<Check, Validator>()

const settingsValidators = new WeakMap<GuardrailPlugin, Validator>()

/** Messages with the member names of the config file. */
function settingsFaults(plugin: GuardrailPlugin, settings: JsonObject): string[] {
  if (plugin.settings === undefined) return []
  const validator = settingsValidators.get(plugin) ?? createValidator(plugin.settings)
  settingsValidators.set(plugin, validator)
  return toFaults(validator(settings) ?? [], 'invalid_config', '').map(
    ({ param, message }) =>
      `needs settings: plugins.settings.${plugin.name}${param.replaceAll('/', '.')} ${message}`,
  )
}

function validatorOf(check: Check): Validator {
  const known = validators.get(check)
  if (known !== undefined) return known
  const made = createFillingValidator(check.parameters)
  validators.set(check, made)
  return made
}
