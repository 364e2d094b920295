/** Converse. Source: https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Converse.html */
import type { JsonObject } from '@gateway/contract'
import { listOf, member } from '../../conformance/vendors/vendor.ts'
import type { SeenRequest } from '../../support/upstream.ts'
import {
  type Conversation,
  type Format,
  names,
  Refusal,
  refuseName,
  refuseUnknown,
  refuseUnpaired,
  type Turn,
} from './conversation.ts'

const members =
  names(`messages system toolConfig inferenceConfig additionalModelRequestFields additionalModelResponseFieldPaths
  guardrailConfig outputConfig performanceConfig promptVariables requestMetadata serviceTier`)
const blockMembers =
  names(`text image document video audio toolUse toolResult guardContent cachePoint reasoningContent
  citationsContent searchResult`)

function read({ json, path }: SeenRequest): Conversation {
  const body = json as JsonObject
  refuseUnknown(body, members, (name) => `Unknown field: ${name}`)
  const tools = listOf(member(body, 'toolConfig', 'tools')).flatMap((tool, at) => {
    if (member(tool, 'cachePoint') !== undefined) return []
    const spec = member(tool, 'toolSpec')
    if (member(spec, 'description') === '') throw new Refusal('toolSpec.description: minimum length 1')
    if (member(spec, 'inputSchema', 'json', 'type') !== 'object')
      throw new Refusal(
        `The value at toolConfig.tools.${at}.toolSpec.inputSchema.json.type must be one of the following: object.`,
      )
    return [
      {
        name: refuseName(
          member(spec, 'name'),
          /^[a-zA-Z0-9_-]{1,64}$/,
          `toolConfig.tools.${at}.toolSpec.name`,
        ),
      },
    ]
  })
  if (member(body, 'toolConfig') !== undefined && tools.length === 0)
    throw new Refusal('toolConfig.tools: minimum length 1')
  const messages = listOf(body.messages)
  if (tools.length === 0 && /"toolUse"|"toolResult"/.test(JSON.stringify(messages)))
    throw new Refusal(
      'The toolConfig field must be defined when using toolUse and toolResult content blocks.',
    )
  return { turns: turnsOf(messages), tools, isStreamed: path.includes('converse-stream') }
}

const idsOf = (message: unknown, key: string) =>
  listOf(member(message, 'content')).flatMap((block) => {
    const id = member(block, key, 'toolUseId')
    return typeof id === 'string' ? [id] : []
  })

function turnsOf(messages: readonly unknown[]): Turn[] {
  if (member(messages[0], 'role') !== 'user')
    throw new Refusal(
      'A conversation must start with a user message. Try again with a conversation that starts with a user message.',
    )
  return messages.flatMap((message, at): Turn[] => {
    const role = member(message, 'role')
    if (at > 0 && role === member(messages[at - 1], 'role'))
      throw new Refusal('A conversation must alternate between user and assistant roles.')
    const content = listOf(member(message, 'content'))
    if (content.length === 0)
      throw new Refusal(`The content field in the Message object at messages.${at} is empty.`)
    for (const block of content) {
      refuseUnknown(
        block as JsonObject,
        blockMembers,
        (name) => `Unknown field: messages.${at}.content.${name}`,
      )
      if (typeof member(block, 'text') === 'string' && String(member(block, 'text')).trim() === '')
        throw new Refusal(`The text field in the ContentBlock object at messages.${at}.content is blank.`)
    }
    for (const id of idsOf(message, 'toolUse'))
      refuseName(id, /^[a-zA-Z0-9_-]{1,64}$/, `messages.${at} toolUseId`)
    if (role === 'assistant')
      refuseUnpaired(idsOf(message, 'toolUse'), idsOf(messages[at + 1], 'toolResult'), `messages.${at}`)
    else refuseUnpaired(idsOf(messages[at - 1], 'toolUse'), idsOf(message, 'toolResult'), `messages.${at}`)
    return content.flatMap((block): Turn[] => {
      const images = member(block, 'image') === undefined ? 0 : 1
      const result = member(block, 'toolResult')
      if (result !== undefined) {
        const parts = listOf(member(result, 'content'))
        const inner = parts.filter((part) => member(part, 'image') !== undefined).length
        return [
          {
            kind: 'result',
            id: String(member(result, 'toolUseId')),
            text: JSON.stringify(parts),
            images: inner,
          },
        ]
      }
      const id = member(block, 'toolUse', 'toolUseId')
      if (id !== undefined) return [{ kind: 'call', id: String(id) }]
      if (role === 'assistant') return [{ kind: 'model' }]
      return [{ kind: 'user', text: String(member(block, 'text') ?? ''), images }]
    })
  })
}

export const bedrockConverse: Format = { read }
