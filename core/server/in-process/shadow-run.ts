/** Runs one request against another config, on behalf of the workspace, and compares the answers. */

import { joinMandatory, withMandatory } from '@gateway/config'
import {
  GatewayError,
  type Identity,
  isObject,
  type JsonObject,
  type LogEntry,
  parseJson,
  type ShadowedRequest,
} from '@gateway/contract'
import {
  type CompiledLimit,
  type ConfigNode,
  callerOf,
  type Ended,
  type KnownCaller,
  knownText,
  type Runtime,
  type SavedConfig,
  type Shadow,
  type Stores,
} from '@gateway/flow'
import type { QuietMoments } from './quiet-moments.ts'
import { runInProcess } from './run-inference.ts'
import { budgetParam } from './shadow-budget.ts'

/** Longer shadows are cut off. */
const longestRunMs = 600_000

/** The parts of an ended request that are kept until its shadow has run. */
export interface ShadowedCall {
  shadow: Shadow
  body: JsonObject
  /** The body as JSON text. */
  text: string
  path: string
  headers: Readonly<Record<string, string>>
  clientIp: string
  traceId: string
  caller: KnownCaller
  /** The config that declares the shadow. */
  config: SavedConfig | null
  entry: LogEntry
}

/** Returns the body of the shadow's request, which leaves nothing stored at a provider. */
function repeatedBody(body: JsonObject, { endpoint }: Ended): JsonObject {
  // By default, providers store responses but not chat completions.
  const keeps = endpoint?.responses?.keeps ?? null
  const isStored = keeps === null ? body.store === true : body.store !== false
  return isStored ? { ...body, store: false } : body
}

export function callOf(
  asked: Ended,
  { shadow, body }: Pick<ShadowedCall, 'shadow' | 'body'>,
  entry: LogEntry,
): ShadowedCall {
  const { options, transport } = asked
  const { caller } = callerOf(asked)
  const { traceId } = asked.request
  const sent = repeatedBody(body, asked)
  return {
    shadow,
    body: sent,
    text: knownText(asked, sent) ?? JSON.stringify(sent),
    path: transport.path,
    // These headers contain neither credentials nor the gateway's own headers.
    headers: {
      ...asked.headers,
      'x-gateway-trace-id': traceId,
      ...metadataHeader(options?.metadata ?? {}),
    },
    clientIp: transport.clientIp,
    traceId,
    caller,
    config: asked.config?.saved ?? null,
    entry,
  }
}

/** The metadata as ASCII, which every HTTP parser accepts. */
function metadataHeader(metadata: Readonly<Record<string, string>>): Record<string, string> {
  if (Object.keys(metadata).length === 0) return {}
  const text = JSON.stringify(metadata).replaceAll(
    /[\u007f-\uffff]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
  return { 'x-gateway-metadata': text }
}

/** `budget`: the shadow did not run, because the day's budget is exhausted. */
type Ran = 'completed' | 'failed' | 'budget'

/** Errors: those of the store, and `unknown_config`. */
export async function runShadow(
  runtime: Runtime,
  call: ShadowedCall,
  { budget, moments }: { budget: CompiledLimit | undefined; moments: QuietMoments },
): Promise<Ran> {
  const identity = asWorkspace(call.caller.identity)
  const config = await otherConfig(runtime, call)
  const logged = keepEntries(runtime.stores.logs)
  let end: () => void = () => undefined
  const over = new Promise<void>((resolve) => {
    end = resolve
  })
  const answer = await runInProcess(runtime, {
    ...call,
    stores: { ...runtime.stores, logs: logged.logs },
    raw: null,
    signal: AbortSignal.timeout(longestRunMs),
    caller: async () => ({ identity, key: null, allowsAddress: null }),
    origin: { source: 'shadow', config, budget },
    ended: () => end(),
  })
  if (answer.stream !== null) for await (const _ of answer.stream);
  await over
  if (answer.status === 429 && isBudgetError(answer.text)) return 'budget'
  logged.write()
  const candidate = logged.find(answer.headers['x-request-id'] ?? '')
  // The answers are compared even under load, because the shadow's cost has been spent.
  await moments.next()
  if (candidate !== null) await runtime.services.shadowed(comparisonOf(call, candidate))
  return answer.status >= 200 && answer.status <= 299 ? 'completed' : 'failed'
}

/** The workspace is charged, not the caller. */
const asWorkspace = ({ sessionId: _, ...identity }: Identity): Identity => ({
  ...identity,
  type: 'workspace-service',
  keyId: null,
  keyVersion: null,
  name: 'shadow',
  userId: null,
  role: null,
})

/** Returns the shadow's config with the guardrails that the caller cannot disable. */
async function otherConfig(runtime: Runtime, call: ShadowedCall): Promise<ConfigNode> {
  const { caller, shadow } = call
  const settings = await runtime.workspaces.settingsOf(caller.identity.workspaceId)
  const found = typeof shadow.config === 'string' ? await settings.findConfig(shadow.config) : shadow.config
  if (found === null)
    throw new GatewayError(
      'unknown_config',
      `The config "${String(shadow.config)}" of a shadow does not exist.`,
    )
  const { keyDefaults, workspaceDefaults } = settings.defaultsOf(caller)
  const hooks = joinMandatory(settings.mandatory, workspaceDefaults.mandatory, keyDefaults.mandatory)
  // With a rollout, some of its sessions would get another version.
  return withMandatory(found.rollout === null ? found : { ...found, rollout: null }, hooks)
}

/** Holds log entries back until it is known whether the request ran. */
function keepEntries(kept: Stores['logs']) {
  const entries: { entry: LogEntry; write(): void }[] = []
  const logs: Stores['logs'] = {
    add: (entry) => void entries.push({ entry, write: () => kept.add(entry) }),
    addLater: (entry, complete) => void entries.push({ entry, write: () => kept.addLater(entry, complete) }),
  }
  return {
    logs,
    write() {
      for (const { write } of entries) write()
    },
    find: (id: string): LogEntry | null => entries.find(({ entry }) => entry.id === id)?.entry ?? null,
  }
}

function isBudgetError(text: string | null): boolean {
  const body = parseJson(text ?? '')
  return isObject(body) && isObject(body.error) && body.error.param === budgetParam
}

const comparisonOf = ({ config, shadow, entry }: ShadowedCall, candidate: LogEntry): ShadowedRequest => ({
  config: config === null ? null : { id: config.id, slug: config.slug },
  path: shadow.path,
  shadow: shadow.written,
  samplePercent: shadow.samplePercent,
  budgetPerDay: shadow.budgetPerDay,
  baseline: entry,
  candidate,
})
