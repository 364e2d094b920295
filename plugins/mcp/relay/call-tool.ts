/** `tools/call`: disabled tools, limits, guardrails on the arguments, the upstream, guardrails on the result. */
import { type CheckedBody, isObject, type Json, type JsonObject, type ToolCall } from '@gateway/contract'
import { isEnabled, unknownCapability } from '../capabilities.ts'
import { RpcFault, type RpcRequest, resultMessage, rpcCodes } from '../messages.ts'
import { parameterHeaders } from '../upstream/header-text.ts'
import { callUpstream } from './call-upstream.ts'
import { checkParameterHeaders } from './stateless.ts'
import type { Visit } from './visit.ts'
import { visitTarget } from './visit-target.ts'

export async function* callTool(visit: Visit, request: RpcRequest): AsyncGenerator<JsonObject> {
  const { dataPath } = visit.request
  const call = readCall(visit, request)
  const inputSchema = schemaOf(visit, call.tool)
  if (request.clientCapabilities !== undefined)
    checkParameterHeaders(visit.request, inputSchema, call.arguments)
  const settle = await dataPath.admitTool(call)
  let resultBytes = 0
  try {
    const checked = await dataPath.check(call, null)
    // Text that a guardrail has removed must not be in the log either.
    if (checked.body !== call.arguments)
      visit.record.request = withArguments(visit.record.request, checked.body)
    if (checked.denied !== null) throw denied(checked.denied)
    // With `task`, clients could fetch the result past the guardrails.
    const { task: _, ...params } = request.params
    const asked = { ...request, params: { ...params, name: call.tool, arguments: checked.body } }
    const passed =
      'arguments' in request.params ? asked : { ...request, params: { ...params, name: call.tool } }
    const headers = parameterHeaders(inputSchema, checked.body)
    for await (const message of callUpstream(visit, await visitTarget(visit), { request: passed, headers })) {
      if (message.method !== undefined) yield message
      else if (isObject(message.result)) {
        const { result } = message
        resultBytes = sizeOf(result)
        const { body, denied: refused } = await dataPath.check(call, result)
        if (refused !== null) throw denied(refused)
        yield body === result ? { ...message, id: request.id } : resultMessage(request.id, body)
      } else yield { ...message, id: request.id }
    }
  } finally {
    await settle(resultBytes)
  }
}

function readCall({ place }: Visit, { params }: RpcRequest): ToolCall {
  const { name, arguments: given } = params
  if (typeof name !== 'string' || !isEnabled(place, 'tool', name)) {
    throw new RpcFault(rpcCodes.invalidParams, unknownCapability(place, 'tool', name))
  }
  if (given !== undefined && !isObject(given))
    throw new RpcFault(rpcCodes.invalidParams, '"arguments" must be an object.')
  return {
    endpoint: 'mcp',
    server: place.server.slug ?? '',
    tool: name,
    arguments: (given ?? {}) as JsonObject,
  }
}

const denied = ({ message, results }: NonNullable<CheckedBody['denied']>) =>
  new RpcFault(rpcCodes.denied, message, { data: { code: 'guardrail_denied', hook_results: results } })

/** The schema of a tool that a sync has found. */
const schemaOf = ({ place }: Visit, name: string): Json | undefined =>
  place.catalogue?.data.capabilities.find((one) => one.type === 'tool' && one.name === name)?.definition
    .inputSchema

function withArguments(message: Json | undefined, changed: JsonObject): Json {
  if (!isObject(message)) return message ?? null
  const params = isObject(message.params) ? message.params : {}
  return { ...message, params: { ...params, arguments: changed } }
}

/** The approximate length of the texts that a model reads. */
function sizeOf({ content }: JsonObject): number {
  let bytes = 0
  for (const block of Array.isArray(content) ? content : [])
    if (isObject(block) && typeof block.text === 'string') bytes += Buffer.byteLength(block.text)
  return bytes
}
