/**
 * `tools` and `toolConfig` → function tools, `tool_choice` and `web_search_options`. `tool-table.ts` lists the
 * translation of each kind. Functions that are not in `allowedFunctionNames` are not offered.
 * Reference: https://ai.google.dev/gemini-api/docs/function-calling
 * Errors: `invalid_body` for a request without any tool that can be translated.
 */
import { isObject, type Json, type JsonObject } from '@gateway/contract'
import { type DialectContext, refuse, treatmentOf } from '@gateway/contract/dialect'
import { jsonSchemaOf } from './schema.ts'
import { contentTools } from './tool-table.ts'

interface Offered {
  /** The tool's member in `tools`, such as `googleSearch`. */
  member: string
  path: string
  value: JsonObject
}

/** The tools and tool choice of a request. */
export function readTools(body: JsonObject, context: DialectContext): JsonObject {
  const offered = offeredTools(body.tools)
  const treated = (becomes: string) =>
    offered.filter((tool) => treatmentOf(contentTools, { member: tool.member }) === becomes)
  const declared = treated('function').map(({ value }) => readFunction(value))
  const { functions, choice } = chosen(body, declared, context)
  const searches = treated('search')
  const mayNotSearch =
    context.webSearch === null || (functions.length > 0 && !context.webSearch.besideTools) ? searches : []
  const lost = [...mayNotSearch, ...treated('nothing')]
  const isSearching = searches.length > mayNotSearch.length
  const [first] = lost
  if (first !== undefined && functions.length === 0 && !isSearching)
    throw refuse(context, first.path, `the tool ${first.member} cannot be translated`)
  context.leftOut.push(...lost.map(({ path }) => path))
  return {
    ...(functions.length === 0 ? {} : { tools: functions }),
    ...(choice === null || functions.length === 0 ? {} : { tool_choice: choice }),
    ...(isSearching ? { web_search_options: {} } : {}),
  }
}

/** Lists each function, and each other member of an object in `tools`. */
function offeredTools(tools: Json | undefined): Offered[] {
  const given = Array.isArray(tools) ? tools : []
  return given.flatMap((tool, index) =>
    Object.entries(isObject(tool) ? tool : {}).flatMap(([member, value]): Offered[] => {
      const path = `/tools/${index}/${member}`
      if (value === null || value === undefined) return []
      if (member !== 'functionDeclarations') return [{ member, path, value: isObject(value) ? value : {} }]
      const functions = Array.isArray(value) ? value.filter(isObject) : []
      return functions.map((each, position) => ({ member, path: `${path}/${position}`, value: each }))
    }),
  )
}

/** Chat completions providers require a schema. */
const noParameters: JsonObject = { type: 'object', properties: {} }

function readFunction({
  name,
  description,
  parameters,
  parametersJsonSchema: schema,
}: JsonObject): JsonObject {
  const own = isObject(parameters) ? jsonSchemaOf(parameters) : noParameters
  return {
    type: 'function',
    function: {
      name,
      ...(typeof description === 'string' ? { description } : {}),
      parameters: isObject(schema) ? schema : own,
    },
  }
}

interface Chosen {
  functions: JsonObject[]
  /** Null for the provider's default. */
  choice: Json
}

const nameOf = ({ function: declared }: JsonObject): Json | undefined =>
  isObject(declared) ? declared.name : undefined

function chosen(body: JsonObject, declared: JsonObject[], context: DialectContext): Chosen {
  const config = isObject(body.toolConfig) ? body.toolConfig.functionCallingConfig : null
  const { mode, allowedFunctionNames: names } = isObject(config) ? config : {}
  const isNarrow = Array.isArray(names) && names.length > 0
  const functions = isNarrow ? declared.filter((each) => names.includes(nameOf(each) ?? null)) : declared
  const path = '/toolConfig/functionCallingConfig'
  if (isNarrow && functions.length === 0)
    throw refuse(context, `${path}/allowedFunctionNames`, 'must name declared functions')
  if (mode === 'NONE') return { functions: declared, choice: 'none' }
  if (mode === 'ANY') {
    if (functions.length === 0) throw refuse(context, `${path}/mode`, 'there is no function to call')
    const [only] = functions
    const isSingle = isNarrow && functions.length === 1 && only !== undefined
    return {
      functions,
      choice: isSingle ? { type: 'function', function: { name: nameOf(only) } } : 'required',
    }
  }
  // Calls are always valid JSON. Whether they match their schema depends on the provider.
  return { functions, choice: mode === 'AUTO' || mode === 'VALIDATED' ? 'auto' : null }
}
