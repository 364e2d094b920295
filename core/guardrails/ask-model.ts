/**
 * A chat completion for a check, by a model of this gateway: the pipeline below the config, without hooks and cache. Of
 * the checked request only its authorization is used. Errors: `unknown_virtual_key`, `upstream_error` for an error
 * answer.
 */

import { type Fault, faultsError, GatewayError, type JsonObject } from '@gateway/contract'
import { compileConfig } from '../config/index.ts'
import { chat } from '../endpoints/index.ts'
import {
  type ConfigNode,
  cancellationOf,
  createLedger,
  type Exchange,
  required,
  type Settings,
} from '../flow/index.ts'

/** @param provider `@slug` of a stored credential */
export async function askModel(
  exchange: Exchange,
  provider: string,
  body: JsonObject,
  signal: AbortSignal,
): Promise<JsonObject> {
  const asked = exchange.fork(nodeOf(exchange.settings, provider))
  asked.leaving = cancellationOf(signal)
  // The check's call is not the caller's usage.
  asked.ledger = createLedger(exchange.ledger.deferred)
  asked.endpoint = chat
  asked.body = body
  asked.source = null
  asked.files = []
  asked.headers = {}
  asked.beforeResults = []
  asked.options = {
    ...required(exchange.options, 'options'),
    virtualKey: null,
    provider: null,
    credential: null,
    keys: {},
    customHost: null,
    forwardHeaders: null,
    requestTimeoutMs: null,
    firstTokenTimeoutMs: null,
    streamIdleTimeoutMs: null,
  }
  await exchange.runtime.runNode(asked)
  const { answer } = asked
  if (answer?.fault) throw answer.fault
  if (answer?.body && answer.status === 200) return answer.body
  throw new GatewayError('upstream_error', `The model ${provider} answered ${answer?.status ?? 'nothing'}.`)
}

const nodes = new WeakMap<Settings, Map<string, ConfigNode>>()

function nodeOf(settings: Settings, provider: string): ConfigNode {
  const ofSettings = nodes.get(settings) ?? new Map<string, ConfigNode>()
  nodes.set(settings, ofSettings)
  const known = ofSettings.get(provider)
  if (known !== undefined) return known
  const faults: Fault[] = []
  const node = compileConfig({ provider }, { ...settings.context, isSaved: true }, 'parameters', faults)
  if (faults.length > 0) throw faultsError(faults)
  ofSettings.set(provider, node)
  return node
}
