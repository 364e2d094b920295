/** Answers one request of a client: from the gateway itself, from the results of a sync, or from the upstream. */
import { isObject, type JsonObject } from '@gateway/contract'
import type { McpCapabilityType } from '@gateway/domain'
import { isEnabled, isResourceEnabled, unknownCapability } from '../capabilities.ts'
import { RpcFault, type RpcRequest, resultMessage, rpcCodes } from '../messages.ts'
import { callTool } from './call-tool.ts'
import { callUpstream } from './call-upstream.ts'
import { initialize } from './initialize.ts'
import { list } from './lists.ts'
import { requireTokenScope, type Visit } from './visit.ts'
import { visitTarget } from './visit-target.ts'

/** Notifications as they arrive, and the answer last. Throws {@link RpcFault}, and errors that the routes answer. */
export type Replies = AsyncIterable<JsonObject>

type Method = (visit: Visit, request: RpcRequest) => Replies

const methods: Readonly<Record<string, Method>> = {
  initialize: one(initialize),
  ping: one(async () => ({})),
  'tools/list': (visit, request) => list(visit, request, { member: 'tools', type: 'tool', key: 'name' }),
  'prompts/list': (visit, request) =>
    list(visit, request, { member: 'prompts', type: 'prompt', key: 'name' }),
  'resources/list': (visit, request) =>
    list(visit, request, { member: 'resources', type: 'resource', key: 'uri' }),
  'resources/templates/list': (visit, request) =>
    list(visit, request, { member: 'resourceTemplates', type: 'resource_template', key: 'uriTemplate' }),
  'tools/call': callTool,
  'prompts/get': (visit, request) => {
    requireEnabled(visit, 'prompt', request.params.name)
    return pass(visit, request)
  },
  'resources/read': (visit, request) => {
    const { uri } = request.params
    if (typeof uri !== 'string' || !isResourceEnabled(visit.place, uri))
      throw new RpcFault(rpcCodes.unknownResource, 'Resource not found', { data: { uri: String(uri ?? '') } })
    return pass(visit, request)
  },
  'completion/complete': (visit, request) => {
    const { ref } = request.params
    if (isObject(ref) && ref.type === 'ref/prompt') requireEnabled(visit, 'prompt', ref.name)
    if (isObject(ref) && ref.type === 'ref/resource') requireEnabled(visit, 'resource_template', ref.uri)
    return pass(visit, request)
  },
  'logging/setLevel': pass,
}

export function dispatch(visit: Visit, request: RpcRequest): Replies {
  const method = Object.hasOwn(methods, request.method) ? methods[request.method] : undefined
  if (method === undefined) {
    // The stateless protocol answers 404, the older ones 200.
    const status = request.clientCapabilities === undefined ? 200 : 404
    const message = `The method "${request.method.slice(0, 100)}" is not supported.`
    throw new RpcFault(rpcCodes.unknownMethod, message, { status })
  }
  requireTokenScope(visit, request.method)
  return method(visit, request)
}

/** A method that the gateway answers itself. */
function one(answer: (visit: Visit, request: RpcRequest) => Promise<JsonObject>): Method {
  return async function* single(visit, request) {
    yield resultMessage(request.id, await answer(visit, request))
  }
}

/** Sends the request upstream and returns the answer unchanged. */
async function* pass(visit: Visit, request: RpcRequest): Replies {
  for await (const message of callUpstream(visit, await visitTarget(visit), { request }))
    yield message.method === undefined ? { ...message, id: request.id } : message
}

function requireEnabled({ place }: Visit, type: McpCapabilityType, name: unknown): void {
  if (typeof name === 'string' && isEnabled(place, type, name)) return
  throw new RpcFault(rpcCodes.invalidParams, unknownCapability(place, type, name))
}
