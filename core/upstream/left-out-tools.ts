/** The tools of a chat request that its provider's format cannot express, and which are therefore not sent. */
import { isObject, type Json, type JsonObject } from '@gateway/contract'

/** Their paths in the body. Tools of the format itself are functions; others reach the provider as they are or not at all. */
export function leftOutTools({ messages, tools }: JsonObject, wire: JsonObject): string[] {
  if (!Array.isArray(tools) || messages === undefined) return []
  const sent: readonly Json[] = Array.isArray(wire.tools) ? wire.tools : []
  if (sent === tools) return []
  return tools.flatMap((tool, index) =>
    isOfOtherType(tool) && !sent.includes(tool) ? [`/tools/${index}`] : [],
  )
}

/** Tools of the Messages format have a name instead of a function, and are not translated here. */
const isOfOtherType = (tool: Json): boolean =>
  isObject(tool) && typeof tool.type === 'string' && tool.function === undefined && tool.name === undefined
