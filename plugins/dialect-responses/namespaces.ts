/**
 * Namespaces of tools, which coding agents send for their MCP servers. Chat requests have only flat names, so a
 * function of a namespace becomes `NAMESPACE__FUNCTION`, and its calls are returned with both names.
 * Reference: https://platform.openai.com/docs/api-reference/responses/create, `tools`
 */
import { createHash } from 'node:crypto'
import { isObject, type Json, type JsonObject } from '@gateway/contract'
import { type ClientTool, clientToolOf } from './client-tools.ts'
import { offeredTools } from './offered-tools.ts'

/** The maximum length of a function's name. https://platform.openai.com/docs/api-reference/chat/create */
const longestName = 64
const digestLength = 8

export interface CalledFunction {
  name: string
  namespace?: string
  /** Whether it is a custom tool, whose input is free text. */
  isCustom?: boolean
  /** The vendor's definition of a tool that the client runs. */
  tool?: ClientTool | undefined
}

/**
 * The name of a function in a chat request. A name that is too long is shortened and ends with a digest, which keeps it
 * unique.
 */
export function flatName({ name, namespace }: CalledFunction): string {
  if (namespace === undefined) return name
  const whole = `${namespace}${namespace.endsWith('__') ? '' : '__'}${name}`
  if (whole.length <= longestName) return whole
  const digest = createHash('sha256').update(whole).digest('hex').slice(0, digestLength)
  return `${whole.slice(0, longestName - digestLength - 1)}_${digest}`
}

/** Reads the name of a function call or a function tool choice in a request. */
export const readFunction = ({ name, namespace }: JsonObject): CalledFunction => ({
  name: String(name),
  ...(typeof namespace === 'string' && namespace !== '' ? { namespace } : {}),
})

export const isNamespace = (tool: Json): tool is JsonObject & { name: string; tools: Json[] } =>
  isObject(tool) && tool.type === 'namespace' && typeof tool.name === 'string' && Array.isArray(tool.tools)

/**
 * Returns a function that finds the tool of a flat name among the namespaces, custom tools and client tools of the
 * request.
 */
export function createNames(request: JsonObject): (flat: string) => CalledFunction {
  const functions = new Map<string, CalledFunction>()
  for (const { tool } of offeredTools(request)) {
    const members = isNamespace(tool) ? tool.tools : [tool]
    const namespace = isNamespace(tool) ? { namespace: tool.name } : {}
    for (const member of members.filter(isObject)) {
      const own = clientToolOf(member)
      const name = own?.type ?? String(member.name)
      const called = { name, ...namespace, isCustom: member.type === 'custom', tool: own }
      functions.set(flatName(called), called)
    }
  }
  return (flat) => functions.get(flat) ?? { name: flat }
}
