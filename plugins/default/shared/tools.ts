/** The tools of a request, in any format. */
import { isObject, type Json, type JsonObject } from '@gateway/contract'

export interface Tool {
  /** JSON pointer. */
  path: string
  /** `function` if the format has no types. */
  type: string
  name: string | null
}

/** Lists the tools of a body, including those in namespaces and the older `functions`. */
export function toolsOf(body: JsonObject): Tool[] {
  return [...readTools(body.tools, '/tools'), ...readTools(body.functions, '/functions')]
}

/** No format nests them deeper than once. */
const maxDepth = 8

function readTools(list: Json | undefined, path: string, depth = 0): Tool[] {
  if (!Array.isArray(list) || depth > maxDepth) return []
  return list.flatMap((tool, index) => (isObject(tool) ? readTool(tool, `${path}/${index}`, depth) : []))
}

function readTool(tool: JsonObject, path: string, depth: number): Tool[] {
  const type = typeof tool.type === 'string' ? tool.type : 'function'
  const nested = isObject(tool[type]) ? tool[type].name : undefined
  const name = [nested, tool.name].find((candidate) => typeof candidate === 'string')
  const inner = readTools(tool.tools, `${path}/tools`, depth + 1)
  return [{ path, type, name: typeof name === 'string' ? name : null }, ...inner]
}
