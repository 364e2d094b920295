/**
 * Calls of tools and agents by services. The endpoint has no route, but guardrails read its bodies like those of any
 * other. The request is `{name, arguments}`, and the answer is the result.
 */
import { isObject, type Json, type JsonObject, type ServiceEndpoint, type TextPart } from '@gateway/contract'
import type { TextSink } from '@gateway/contract/dialect'
import type { Endpoint } from '@gateway/flow'
import { declareEndpoint } from './declare-endpoint.ts'

const escaped = (name: string) => name.replaceAll('~', '~0').replaceAll('/', '~1')

/** All texts below a value, with their paths. */
function addAllTexts(value: Json | undefined, { role, path, parts }: TextSink): void {
  if (typeof value === 'string') parts.push({ role, text: value, path })
  else if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) addAllTexts(item, { role, path: `${path}/${index}`, parts })
  } else if (isObject(value)) {
    for (const [name, item] of Object.entries(value))
      addAllTexts(item, { role, path: `${path}/${escaped(name)}`, parts })
  }
}

/** The texts of a result: content of type `text`, texts of resources, and structured content. */
function addResultTexts(body: JsonObject, parts: TextPart[]): void {
  const { content, structuredContent } = body
  for (const [index, block] of (Array.isArray(content) ? content : []).entries()) {
    if (!isObject(block)) continue
    const at = `/content/${index}`
    if (typeof block.text === 'string') parts.push({ role: 'tool', text: block.text, path: `${at}/text` })
    const { resource } = block
    if (isObject(resource) && typeof resource.text === 'string')
      parts.push({ role: 'tool', text: resource.text, path: `${at}/resource/text` })
  }
  if (structuredContent !== undefined)
    addAllTexts(structuredContent, { role: 'tool', path: '/structuredContent', parts })
}

const declare = (id: ServiceEndpoint): Endpoint =>
  declareEndpoint({
    id,
    routes: [],
    scopes: [],
    isMetered: false,
    requestTexts: (body, parts) => addAllTexts(body.arguments, { role: 'user', path: '/arguments', parts }),
    answerTexts: addResultTexts,
  })

export const toolCallEndpoints: Readonly<Record<ServiceEndpoint, Endpoint>> = {
  mcp: declare('mcp'),
  agent: declare('agent'),
}
