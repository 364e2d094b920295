/**
 * Gemini's generateContent. Source: https://ai.google.dev/api/generate-content and
 * https://ai.google.dev/api/caching#Schema
 */
import { isObject, type JsonObject } from '@gateway/contract'
import { listOf, member } from '../../conformance/vendors/vendor.ts'
import type { SeenRequest } from '../../support/upstream.ts'
import {
  type Conversation,
  type Format,
  names,
  Refusal,
  refuseName,
  refuseUnknown,
  type Turn,
} from './conversation.ts'

const members =
  names(`contents systemInstruction system_instruction tools toolConfig tool_config generationConfig
  generation_config safetySettings safety_settings cachedContent cached_content model serviceTier store`)
const configMembers =
  names(`stopSequences responseMimeType responseSchema responseJsonSchema _responseJsonSchema responseModalities
  candidateCount maxOutputTokens temperature topP topK seed presencePenalty frequencyPenalty responseLogprobs logprobs
  enableEnhancedCivicAnswers speechConfig thinkingConfig imageConfig mediaResolution`)
const schemaMembers =
  names(`type format title description nullable enum maxItems minItems properties required minProperties
  maxProperties minLength maxLength pattern example anyOf propertyOrdering default items minimum maximum`)
const partMembers =
  names(`text inlineData fileData functionCall functionResponse executableCode codeExecutionResult thought
  thoughtSignature videoMetadata inline_data function_call function_response`)
const unknown = (place: string) => (name: string) =>
  `Invalid JSON payload received. Unknown name "${name}"${place === '' ? '' : ` at '${place}'`}: Cannot find field.`

function refuseSchema(schema: unknown, place: string): void {
  if (!isObject(schema)) return
  refuseUnknown(schema, schemaMembers, unknown(place))
  if (Array.isArray(schema.type))
    throw new Refusal(`Proto field is not repeating, cannot start list. (${place}.type)`)
  for (const [name, each] of Object.entries(isObject(schema.properties) ? schema.properties : {}))
    refuseSchema(each, `${place}.properties[${name}]`)
  refuseSchema(schema.items, `${place}.items`)
  for (const each of listOf(schema.anyOf)) refuseSchema(each, `${place}.any_of`)
}

function read({ json, path }: SeenRequest): Conversation {
  const body = json as JsonObject
  refuseUnknown(body, members, unknown(''))
  if (isObject(body.generationConfig))
    refuseUnknown(body.generationConfig, configMembers, unknown('generation_config'))
  const tools = listOf(body.tools).flatMap((tool, index) => {
    const declarations = listOf(member(tool, 'functionDeclarations'))
    return declarations.map((each, at) => {
      const place = `tools[${index}].function_declarations[${at}]`
      refuseSchema(member(each, 'parameters'), `${place}.parameters`)
      return { name: refuseName(member(each, 'name'), /^[a-zA-Z_][a-zA-Z0-9_.:-]{0,127}$/, `${place}.name`) }
    })
  })
  return { turns: turnsOf(listOf(body.contents)), tools, isStreamed: path.includes('streamGenerateContent') }
}

const partsOf = (content: unknown, key: string) =>
  listOf(member(content, 'parts')).filter((part) => member(part, key) !== undefined)

function turnsOf(contents: readonly unknown[]): Turn[] {
  if (contents.length === 0) throw new Refusal('* GenerateContentRequest.contents: contents is not specified')
  return contents.flatMap((content, at): Turn[] => {
    const role = member(content, 'role')
    if (role !== 'user' && role !== 'model' && role !== 'function' && role !== undefined)
      throw new Refusal('Please use a valid role: user, model.')
    const parts = listOf(member(content, 'parts'))
    if (parts.length === 0)
      throw new Refusal(`* GenerateContentRequest.contents[${at}].parts: contents.parts must not be empty.`)
    for (const part of parts)
      if (isObject(part)) refuseUnknown(part, partMembers, unknown(`contents[${at}].parts`))
    const calls = partsOf(content, 'functionCall')
    if (calls.length > 0 && partsOf(contents[at + 1], 'functionResponse').length !== calls.length) {
      throw new Refusal(
        'Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.',
      )
    }
    if (
      partsOf(content, 'functionResponse').length > 0 &&
      partsOf(contents[at - 1], 'functionCall').length === 0
    )
      throw new Refusal(
        'Please ensure that function response turn comes immediately after a function call turn.',
      )
    return parts.map((part): Turn => {
      const text = String(member(part, 'text') ?? '')
      const images = member(part, 'inlineData') === undefined ? 0 : 1
      if (member(part, 'functionCall') !== undefined) return { kind: 'call', id: '' }
      const response = member(part, 'functionResponse')
      if (response !== undefined) return { kind: 'result', id: '', text: JSON.stringify(response), images }
      return role === 'model' ? { kind: 'model' } : { kind: 'user', text, images }
    })
  })
}

export const geminiContents: Format = { read }
