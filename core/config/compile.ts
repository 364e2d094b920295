/**
 * Compiles a schema-valid config object to a tree of nodes: inheritance (contract section 4), lookups, and rules that a
 * schema cannot express. All errors of the tree are collected in one pass.
 */

import type { Config } from '@gateway/config-file'
import type { Fault, JsonObject } from '@gateway/contract'
import {
  type CompileContext,
  type ConfigNode,
  checkForwardedName,
  type Hedge,
  type QueueSettings,
} from '@gateway/flow'
import { compileStrategy } from './compile-strategy.ts'
import { compileTarget } from './compile-target.ts'
import { callFingerprint, scopeFingerprint } from './fingerprints.ts'
import { type Inherited, inherit, nothing } from './inherit.ts'
import { runsPrompts, withPrompts } from './prompts.ts'

/**
 * Compiles a config that was validated against the schema.
 * @param param prefix of the error paths: `config`, or `/configs/prod` in the config file
 */
export function compileConfig(
  config: Config,
  context: CompileContext,
  { param, faults }: { param: string; faults: Fault[] },
): ConfigNode {
  const inherited = { ...context, compileHooks: hooksOnce(context.compileHooks) }
  const root = compileNode(config, { parent: nothing, path: 'config', param }, { context: inherited, faults })
  return runsPrompts(config) ? withPrompts(root, config) : root
}

/** Compiles a list of hooks once for all leaves that inherit it. Its errors are reported the first time. */
function hooksOnce(compileHooks: CompileContext['compileHooks']): CompileContext['compileHooks'] {
  const known = new Map<unknown, ReturnType<typeof compileHooks>>()
  return (items, ...rest) => {
    const hooks = known.get(items) ?? compileHooks(items, ...rest)
    known.set(items, hooks)
    return hooks
  }
}

/** The position of a node in its tree. */
interface Place {
  parent: Inherited
  path: string
  /** The prefix of the paths of its errors. */
  param: string
}

function compileNode(
  config: Config,
  { parent, path, param }: Place,
  { context, faults }: { context: CompileContext; faults: Fault[] },
): ConfigNode {
  const own = inherit(config, parent, param)
  const targets = (config.targets ?? []).map((target, index) => {
    const place = { parent: own, path: `${path}.targets[${index}]`, param: `${param}/targets/${index}` }
    return compileNode(target, place, { context, faults })
  })
  const isLeaf = targets.length === 0
  checkForwardedHeaders(config, { param, context, faults })
  const before = compileInputHooks(config, { param, context, faults })
  const after = isLeaf || config.cache !== undefined ? compileOutputHooks(own, context, faults) : []
  checkOutputHooks(config, { param, isLeaf, context, faults })
  const target = isLeaf ? compileTarget(config, own, { param, context, faults }) : null
  return {
    saved: null,
    rollout: null,
    path,
    param,
    weight: config.weight ?? 1,
    onStatusCodes: config.on_status_codes ?? null,
    strategy: config.strategy === undefined ? null : compileStrategy(config, targets, { param, faults }),
    targets,
    target,
    hasPrompts: false,
    prompt: null,
    overrideParams: (config.override_params as JsonObject | undefined) ?? null,
    retry: own.retry,
    hedge: compileHedge(config, param, faults),
    queue: compileQueue(config),
    breaker: own.breaker ?? null,
    requestTimeoutMs: own.requestTimeoutMs,
    streamClocks: own.streamClocks,
    forwardHeaders: own.forwardHeaders,
    customHost: own.customHost,
    strict: own.strict,
    marksPrompt: own.marksPrompt,
    before,
    after,
    isChecked: own.isChecked,
    cache: compileCache(config, param, faults),
    shadow: compileShadow(config, { path, param }, { context, faults }),
    fingerprint:
      config.cache === undefined ? '' : scopeFingerprint(config, own, { tree: { target, targets }, context }),
    callFingerprint: config.cache === undefined ? '' : callFingerprint(config, own),
    forwardedBelow: [
      ...new Set([...own.forwardHeaders, ...targets.flatMap((child) => child.forwardedBelow)]),
    ],
  }
}

interface CompileSite {
  param: string
  context: CompileContext
  faults: Fault[]
}

function checkForwardedHeaders(
  { forward_headers: names = [] }: Config,
  { param, context: { headerPrefixes }, faults }: CompileSite,
): void {
  for (const [index, name] of names.entries()) {
    const message = checkForwardedName(name, headerPrefixes)
    if (message !== null)
      faults.push({ param: `${param}/forward_headers/${index}`, code: 'invalid_config', message })
  }
}

function compileInputHooks(config: Config, { param, context, faults }: CompileSite) {
  return (['before_request_hooks', 'input_guardrails'] as const).flatMap((name) =>
    context.compileHooks(config[name] ?? [], 'before', { param: `${param}/${name}`, context, faults }),
  )
}

function compileCache({ cache }: Config, param: string, faults: Fault[]): ConfigNode['cache'] {
  if (cache === undefined) return null
  const { mode, max_age: maxAgeSeconds = null, threshold = null } = cache
  if (threshold !== null && mode !== 'semantic') {
    const message = 'needs mode semantic'
    faults.push({ param: `${param}/cache/threshold`, code: 'invalid_config', message })
  }
  return { mode, maxAgeSeconds, threshold }
}

const everyRequest = 100

/** A saved config is looked up when it is used, which gives its newest version. */
function compileShadow(
  { shadow }: Config,
  { path, param }: Pick<ConfigNode, 'path' | 'param'>,
  { context, faults }: { context: CompileContext; faults: Fault[] },
): ConfigNode['shadow'] {
  if (shadow === undefined) return null
  const { config: written, sample_percent: samplePercent = everyRequest, budget_per_day = null } = shadow
  const config =
    typeof written === 'string'
      ? written.replace(/^#/, '')
      : // Its own shadow is ignored.
        compileConfig({ ...written, shadow: undefined }, context, { param: `${param}/shadow/config`, faults })
  // The value has passed the schema, so it is JSON.
  return {
    path,
    config,
    written: written as string | JsonObject,
    samplePercent,
    budgetPerDay: budget_per_day,
  }
}

const defaultBudgetPercent = 10

/** Allowed at a leaf, a fallback or a loadbalance. Other nodes have no second call to make. */
function compileHedge({ hedge, strategy }: Config, param: string, faults: Fault[]): Hedge | null {
  if (hedge === undefined) return null
  if (strategy?.mode === 'single' || strategy?.mode === 'conditional') {
    const message = `needs a target, or mode fallback or loadbalance, not ${strategy.mode}`
    faults.push({ param: `${param}/hedge`, code: 'invalid_config', message })
  }
  return { afterMs: hedge.after_ms, budgetShare: (hedge.budget_percent ?? defaultBudgetPercent) / 100 }
}

const namedPriorities = { interactive: 50, batch: 10 } as const

function compileQueue({ queue }: Config): QueueSettings | null {
  if (queue === undefined) return null
  const { max_wait_ms: maxWaitMs, priority = 'interactive' } = queue
  return { maxWaitMs, priority: typeof priority === 'number' ? priority : namedPriorities[priority] }
}

function compileOutputHooks(own: Inherited, context: CompileContext, faults: Fault[]) {
  // Errors of inherited hooks are reported once, at the node that declares them.
  const unreported: Fault[] = []
  const { afterHooks, outputGuardrails } = own
  const hooks = [
    ...context.compileHooks(afterHooks?.items ?? [], 'after', {
      param: afterHooks?.param ?? '',
      context,
      faults: unreported,
    }),
    ...context.compileHooks(outputGuardrails?.items ?? [], 'after', {
      param: outputGuardrails?.param ?? '',
      context,
      faults: unreported,
    }),
  ]
  for (const fault of unreported) {
    if (!faults.some(({ param, message }) => param === fault.param && message === fault.message)) {
      faults.push(fault)
    }
  }
  return hooks
}

interface CheckOutputHooksOptions {
  param: string
  isLeaf: boolean
  context: CompileContext
  faults: Fault[]
}

/** Hooks that an inner node declares are checked even when every target replaces them. */
function checkOutputHooks(config: Config, { param, isLeaf, context, faults }: CheckOutputHooksOptions): void {
  if (isLeaf || config.cache !== undefined) return
  compileOutputHooks(inherit(config, nothing, param), context, faults)
}
