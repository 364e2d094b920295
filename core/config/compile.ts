/**
 * From a config object that fits the schema to a tree of nodes: inheritance (contract section 4), lookups,
 * and the rules that a schema cannot say. Every fault of the whole tree is found in one go.
 */
import { createHash } from 'node:crypto'
import { compileHooks, type HookContext } from '../checks/compile.ts'
import type { Fault, JsonObject, ProviderSettings } from '../contract/index.ts'
import { compileQuery } from '../routing/query.ts'
import { checkForwardedName } from './forwarding.ts'
import type { ConfigNode, ResolvedTarget, Retry, Strategy } from './node.ts'
import type { Config } from './schema.ts'
import { createTarget, hasSecret, settingsOf, trimSlashes } from './target.ts'

/** What configs are compiled against; one per running configuration. */
export interface CompileContext extends HookContext {
  /** Stored credentials by slug. */
  credentials: ReadonlyMap<string, ProviderSettings>
  checkUrl: (url: string) => string | null
  /** Prefixes of the gateway's own headers. */
  headerPrefixes: readonly string[]
  /** Whether the configs are saved ones: then their credentials are the gateway's, not the caller's. */
  isSaved: boolean
  /** Hash of what configs refer to (guardrails, credentials): the same in every process with the same file. */
  version: string
}

/** The keys that a node without its own takes from its parent, each replaced whole. */
interface Inherited {
  retry: Retry | null
  breaker: Config['cb_config'] | null
  requestTimeoutMs: number | null
  forwardHeaders: readonly string[]
  customHost: { url: string; param: string } | null
  strict: boolean | null
  outputGuardrails: { items: Config['output_guardrails']; param: string } | null
  afterHooks: { items: Config['after_request_hooks']; param: string } | null
  /** Merged downwards; only its model matters here. */
  model: unknown
}

const nothing: Inherited = {
  retry: null,
  breaker: null,
  requestTimeoutMs: null,
  forwardHeaders: [],
  customHost: null,
  strict: null,
  outputGuardrails: null,
  afterHooks: null,
  model: undefined,
}

const defaultRetryCodes = [429, 500, 502, 503, 504, 529]

/**
 * Compiles a config that was validated against the schema.
 * @param param what stands before the paths of faults: `config`, or `/configs/prod` in the config file
 */
export function compileConfig(
  config: Config,
  context: CompileContext,
  param: string,
  faults: Fault[],
): ConfigNode {
  return compileNode(config, nothing, 'config', param, context, faults)
}

function compileNode(
  config: Config,
  parent: Inherited,
  path: string,
  param: string,
  context: CompileContext,
  faults: Fault[],
): ConfigNode {
  const own = inherit(config, parent, param)
  const targets = (config.targets ?? []).map((target, index) =>
    compileNode(target, own, `${path}.targets[${index}]`, `${param}/targets/${index}`, context, faults),
  )
  const isLeaf = targets.length === 0
  for (const [index, name] of (config.forward_headers ?? []).entries()) {
    const reason = checkForwardedName(name, context.headerPrefixes)
    if (reason !== null) {
      faults.push({ param: `${param}/forward_headers/${index}`, code: 'invalid_config', message: reason })
    }
  }
  const before = [
    ...compileHooks(
      config.before_request_hooks ?? [],
      'before',
      `${param}/before_request_hooks`,
      context,
      faults,
    ),
    ...compileHooks(config.input_guardrails ?? [], 'before', `${param}/input_guardrails`, context, faults),
  ]
  const after = isLeaf || config.cache !== undefined ? compileOutputHooks(own, context, faults) : []
  checkOutputHooks(config, param, isLeaf, context, faults)
  const target = isLeaf ? compileTarget(config, own, param, context, faults) : null
  return {
    path,
    param,
    weight: config.weight ?? 1,
    onStatusCodes: config.on_status_codes ?? null,
    strategy: config.strategy === undefined ? null : compileStrategy(config, targets, param, faults),
    targets,
    target,
    overrideParams: (config.override_params as JsonObject | undefined) ?? null,
    retry: own.retry,
    breaker: own.breaker ?? null,
    requestTimeoutMs: own.requestTimeoutMs,
    forwardHeaders: own.forwardHeaders,
    customHost: own.customHost?.url ?? null,
    strict: own.strict,
    before,
    after,
    cache:
      config.cache === undefined
        ? null
        : { mode: config.cache.mode, maxAgeSeconds: config.cache.max_age ?? null },
    fingerprint: config.cache === undefined ? '' : fingerprint(config, own, targets, target, context),
    forwardedBelow: [
      ...new Set([...own.forwardHeaders, ...targets.flatMap((child) => child.forwardedBelow)]),
    ],
  }
}

function inherit(config: Config, parent: Inherited, param: string): Inherited {
  const overriddenModel = config.override_params?.model
  return {
    retry: config.retry === undefined ? parent.retry : compileRetry(config.retry),
    breaker: config.cb_config ?? parent.breaker,
    requestTimeoutMs: config.request_timeout ?? parent.requestTimeoutMs,
    forwardHeaders: config.forward_headers?.map((name) => name.toLowerCase()) ?? parent.forwardHeaders,
    customHost:
      config.custom_host === undefined
        ? parent.customHost
        : { url: config.custom_host, param: `${param}/custom_host` },
    strict: config.strict_compat_compliance ?? parent.strict,
    outputGuardrails:
      config.output_guardrails === undefined
        ? parent.outputGuardrails
        : { items: config.output_guardrails, param: `${param}/output_guardrails` },
    afterHooks:
      config.after_request_hooks === undefined
        ? parent.afterHooks
        : { items: config.after_request_hooks, param: `${param}/after_request_hooks` },
    model: overriddenModel ?? parent.model,
  }
}

function compileRetry(retry: NonNullable<Config['retry']>): Retry {
  return {
    attempts: retry.attempts,
    onStatusCodes: retry.on_status_codes ?? defaultRetryCodes,
    useRetryAfterHeaders: retry.use_retry_after_headers ?? retry.use_retry_after_header ?? false,
  }
}

function compileOutputHooks(own: Inherited, context: CompileContext, faults: Fault[]) {
  // Faults of inherited hooks are reported once, at the node that declares them.
  const unreported: Fault[] = []
  const { afterHooks, outputGuardrails } = own
  const hooks = [
    ...compileHooks(afterHooks?.items ?? [], 'after', afterHooks?.param ?? '', context, unreported),
    ...compileHooks(
      outputGuardrails?.items ?? [],
      'after',
      outputGuardrails?.param ?? '',
      context,
      unreported,
    ),
  ]
  for (const fault of unreported) {
    if (!faults.some(({ param, message }) => param === fault.param && message === fault.message)) {
      faults.push(fault)
    }
  }
  return hooks
}

/** Hooks that an inner node declares are checked even when every target replaces them. */
function checkOutputHooks(
  config: Config,
  param: string,
  isLeaf: boolean,
  context: CompileContext,
  faults: Fault[],
): void {
  if (isLeaf || config.cache !== undefined) return
  compileOutputHooks(inherit(config, nothing, param), context, faults)
}

function compileStrategy(
  config: Config,
  targets: readonly ConfigNode[],
  param: string,
  faults: Fault[],
): Strategy | null {
  const strategy = config.strategy
  if (strategy === undefined) return null
  if (strategy.mode === 'loadbalance' && targets.every(({ weight }) => weight === 0)) {
    faults.push({ param: `${param}/targets`, code: 'all_weights_zero', message: 'every weight is 0' })
  }
  if (strategy.mode === 'fallback')
    return { mode: 'fallback', onStatusCodes: strategy.on_status_codes ?? null }
  if (strategy.mode !== 'conditional') return { mode: strategy.mode }
  const find = (name: string | undefined, at: string): ConfigNode | null => {
    const index = (config.targets ?? []).findIndex((target) => target.name === name)
    const found = targets[index]
    if (found !== undefined && name !== undefined) return found
    faults.push({
      param: `${param}/strategy/${at}`,
      code: 'unknown_target',
      message: `no target is named "${name}"`,
    })
    return null
  }
  const conditions = (strategy.conditions ?? []).flatMap((condition, index) => {
    const queryFaults: { path: string; message: string }[] = []
    const query = compileQuery(condition.query, queryFaults)
    for (const { path, message } of queryFaults) {
      faults.push({
        param: `${param}/strategy/conditions/${index}/query${path}`,
        code: 'invalid_config',
        message,
      })
    }
    const target = find(condition.then, `conditions/${index}/then`)
    return target === null ? [] : [{ query, target }]
  })
  const otherwise = find(strategy.default, 'default')
  return otherwise === null ? null : { mode: 'conditional', conditions, otherwise }
}

/** A leaf's provider: `@slug` > `virtual_key` > the model of `override_params`; null when the request names it. */
function compileTarget(
  config: Config,
  own: Inherited,
  param: string,
  context: CompileContext,
  faults: Fault[],
): ResolvedTarget | null {
  if (config.passthrough === true) return null
  const slug = slugOf(config, own.model)
  if (slug === null)
    return config.provider === undefined ? null : builtIn(config, own, param, context, faults)
  const stored = context.credentials.get(slug.name)
  const at = `${param}${slug.path}`
  if (stored === undefined) {
    faults.push({ param: at, code: 'unknown_virtual_key', message: `There is no provider "${slug.name}".` })
    return null
  }
  const { customHost } = own
  const isOwnHost =
    customHost === null || trimSlashes(customHost.url) === trimSlashes(stored.custom_host ?? '')
  if (!isOwnHost && hasSecret(stored)) {
    const message = `The stored credential "${slug.name}" is only sent to its own host; a custom host needs a credential of its own.`
    faults.push({ param: customHost?.param ?? at, code: 'host_not_allowed', message })
    return null
  }
  const adapter = context.registry.providers.get(stored.provider)
  if (adapter === undefined) return null
  const settings = { ...settingsOf(config, stored.provider), ...stored }
  if (customHost !== null) settings.custom_host = customHost.url
  const options = { adapter, settings, slug: slug.name, isStored: true, checkUrl: context.checkUrl }
  return createTarget({ ...options, param: customHost?.param ?? at }, faults)
}

function slugOf(config: Config, model: unknown): { name: string; path: string } | null {
  if (config.provider?.startsWith('@') === true) return { name: config.provider.slice(1), path: '/provider' }
  if (config.provider !== undefined) return null
  if (config.virtual_key !== undefined) return { name: config.virtual_key, path: '/virtual_key' }
  const written = typeof model === 'string' ? /^@([^/]+)\/./.exec(model) : null
  return written?.[1] === undefined ? null : { name: written[1], path: '/override_params/model' }
}

function builtIn(
  config: Config,
  own: Inherited,
  param: string,
  context: CompileContext,
  faults: Fault[],
): ResolvedTarget | null {
  const name = config.provider ?? ''
  const adapter = context.registry.providers.get(name)
  if (adapter === undefined) {
    const message = `There is no provider "${name}".`
    faults.push({ param: `${param}/provider`, code: 'unknown_provider', message })
    return null
  }
  const settings = settingsOf(config, name)
  if (own.customHost !== null) settings.custom_host = own.customHost.url
  const at = own.customHost?.param ?? `${param}/provider`
  const { checkUrl, isSaved } = context
  return createTarget(
    { adapter, settings, slug: null, isStored: isSaved, param: at, checkUrl, isHostOptional: true },
    faults,
  )
}

/** All that decides what a node answers, apart from the request: the tree, its credentials, its guardrails. */
function fingerprint(
  config: Config,
  own: Inherited,
  targets: readonly ConfigNode[],
  target: ResolvedTarget | null,
  context: CompileContext,
): string {
  const identities = (node: { target: ResolvedTarget | null; targets: readonly ConfigNode[] }): unknown[] => [
    node.target?.identity ?? null,
    ...node.targets.map(identities),
  ]
  const { customHost, strict, forwardHeaders, outputGuardrails, afterHooks } = own
  const material = [
    config,
    { customHost, strict, forwardHeaders, outputGuardrails, afterHooks },
    identities({ target, targets }),
    context.version,
  ]
  return createHash('sha256').update(JSON.stringify(material)).digest('base64url')
}
