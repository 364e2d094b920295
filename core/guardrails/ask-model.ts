/**
 * A chat completion for a check, by a model of this gateway: the pipeline below the config, without hooks and cache. Of
 * the checked request only its authorization is used. Errors: `unknown_virtual_key`, `upstream_error` for an error
 * answer.
 */

import { compileConfig } from '@gateway/config'
import { type Fault, faultsError, GatewayError, type JsonObject } from '@gateway/contract'
import {
  type Admitted,
  type ConfigNode,
  cancellationOf,
  innerCall,
  type Ports,
  type Workspace,
} from '@gateway/flow'
import { chat } from '../endpoints/index.ts'

interface AskModelOptions {
  provider: string
  body: JsonObject
  signal: AbortSignal
}

/** @param provider `@slug` of a stored credential */
export async function askModel(
  ports: Ports<'runNode'>,
  exchange: Admitted,
  { provider, body, signal }: AskModelOptions,
): Promise<JsonObject> {
  const asked = innerCall(exchange, { endpoint: chat, node: nodeOf(exchange.workspace, provider), body })
  asked.leaving = cancellationOf(signal)
  asked.headers = {}
  asked.options = {
    ...exchange.options,
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
  const { body: answered, fault, status } = await ports.runNode(asked)
  if (fault !== null) throw fault
  if (answered !== null && status === 200) return answered
  throw new GatewayError('upstream_error', `The model ${provider} answered ${status}.`)
}

const nodes = new WeakMap<Workspace, Map<string, ConfigNode>>()

function nodeOf(settings: Workspace, provider: string): ConfigNode {
  const ofSettings = nodes.get(settings) ?? new Map<string, ConfigNode>()
  nodes.set(settings, ofSettings)
  const known = ofSettings.get(provider)
  if (known !== undefined) return known
  const faults: Fault[] = []
  const node = compileConfig(
    { provider },
    { ...settings.context, isSaved: true },
    { param: 'parameters', faults },
  )
  if (faults.length > 0) throw faultsError(faults)
  ofSettings.set(provider, node)
  return node
}
