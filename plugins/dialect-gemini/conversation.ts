/**
 * `systemInstruction` and `contents` → chat messages. Function calls become tool calls; function responses become
 * `tool` messages before the user's other content. If a signature carries data of a chat provider, that data is sent
 * back as blocks. Signatures of this format's vendor mean nothing to other providers and are dropped. Thoughts without
 * a signature come from a chat provider and are returned as `reasoning_content`.
 * Reference: https://ai.google.dev/api/caching#Content
 * Errors: `invalid_body` for parts without an equivalent.
 */
import { isObject, type Json, type JsonObject, readCarriedSignature, replayedBlocks } from '@gateway/contract'
import { contentOf, type DialectContext, eachBlock, refuse, textPart } from '@gateway/contract/dialect'
import { type CallIds, createCallIds } from './call-ids.ts'
import { mediaPart } from './media.ts'

/** The conversation of a request. */
export function readConversation(body: JsonObject, context: DialectContext): JsonObject[] {
  const ids = createCallIds(body.contents)
  const system = isObject(body.systemInstruction)
    ? eachBlock(body.systemInstruction.parts, '/systemInstruction/parts').flatMap(([part, path]) =>
        userParts(part, path, context),
      )
    : []
  const messages = turnsOf(body.contents).flatMap(({ isModel, parts }) =>
    isModel ? modelMessage(parts, ids, context) : userMessages(parts, ids, context),
  )
  return system.length === 0 ? messages : [{ role: 'system', content: contentOf(system) }, ...messages]
}

type Part = [part: JsonObject, path: string]

interface Turn {
  isModel: boolean
  parts: Part[]
}

/** Merges the contents of one answer into one turn. Clients store a separate content for each event of a stream. */
function turnsOf(contents: Json | undefined): Turn[] {
  const turns: Turn[] = []
  for (const [content, path] of eachBlock(contents, '/contents')) {
    const isModel = content.role === 'model'
    const parts = eachBlock(content.parts, `${path}/parts`)
    const last = turns.at(-1)
    if (isModel && last?.isModel === true) last.parts.push(...parts)
    else turns.push({ isModel, parts })
  }
  return turns
}

function userMessages(parts: readonly Part[], ids: CallIds, context: DialectContext): JsonObject[] {
  const results: JsonObject[] = []
  const media: JsonObject[] = []
  const said: JsonObject[] = []
  for (const [part, path] of parts) {
    if (!isObject(part.functionResponse)) {
      said.push(...userParts(part, path, context))
      continue
    }
    const { functionResponse: result } = part
    const id = ids.ofResult(result)
    if (id === null)
      throw refuse(context, `${path}/functionResponse/name`, 'must be the name of a function called before')
    const shown = eachBlock(result.parts, `${path}/functionResponse/parts`).flatMap(([each, at]) => {
      const one = mediaPart(each, at, context)
      return one === null ? [] : [one]
    })
    results.push({ role: 'tool', tool_call_id: id, content: resultText(result.response) })
    if (shown.length > 0) media.push(textPart(`Result of the tool call ${id}:`), ...shown)
  }
  const all = [...media, ...said]
  return all.length === 0 ? results : [...results, { role: 'user', content: contentOf(all) }]
}

/** The output alone if the result has nothing else; otherwise the result as JSON. */
function resultText(response: Json | undefined): string {
  if (!isObject(response)) return ''
  const [only, ...others] = Object.entries(response)
  const isPlain = others.length === 0 && (only?.[0] === 'output' || only?.[0] === 'result')
  return isPlain && typeof only?.[1] === 'string' ? only[1] : JSON.stringify(response)
}

/** The content parts of a user or system message; empty texts are omitted. */
function userParts(part: JsonObject, path: string, context: DialectContext): JsonObject[] {
  if (typeof part.text === 'string') return part.text === '' ? [] : [textPart(part.text)]
  const media = mediaPart(part, path, context)
  if (media !== null) return [media]
  const [kind] = kindsOf(part)
  if (kind === undefined) return []
  throw refuse(context, `${path}/${kind}`, `a part with ${kind} cannot be translated`)
}

/** Members that have no meaning on their own. */
const about: ReadonlySet<string> = new Set([
  'thought',
  'thoughtSignature',
  'videoMetadata',
  'mediaResolution',
  'partMetadata',
])

const kindsOf = (part: JsonObject): string[] =>
  Object.entries(part).flatMap(([name, value]) => (about.has(name) || value == null ? [] : [name]))

/** Returns at most one message. */
function modelMessage(parts: readonly Part[], ids: CallIds, context: DialectContext): JsonObject[] {
  const texts: JsonObject[] = []
  const calls: JsonObject[] = []
  const thoughts: string[] = []
  const lost: string[] = []
  /** The whole content in order, with texts and calls as in `content_blocks`. */
  const said: JsonObject[] = []
  let extra: JsonObject = {}
  for (const [part, path] of parts) {
    const carried = readCarriedSignature(part.thoughtSignature) ?? {}
    addCarried(said, carried)
    const kept = isObject(carried.extra_content) ? { extra_content: carried.extra_content } : {}
    if (isObject(part.functionCall)) {
      const { name, args } = part.functionCall
      const id = ids.ofCall(part.functionCall)
      calls.push({ id, type: 'function', function: { name, arguments: JSON.stringify(args ?? {}) }, ...kept })
      said.push({ type: 'tool_use', id })
      continue
    }
    extra = { ...extra, ...kept }
    if (part.thought === true) thoughts.push(typeof part.text === 'string' ? part.text : '')
    else if (typeof part.text === 'string') {
      if (part.text === '') continue
      texts.push(textPart(part.text))
      said.push(textPart(part.text))
    } else if (isObject(part.inlineData)) said.push(mediaPart(part, path, context) ?? {})
    else if (kindsOf(part).length > 0) lost.push(`${path}/${kindsOf(part)[0]}`)
  }
  const [first] = lost
  if (first !== undefined && said.length === 0)
    throw refuse(context, first, 'the content has only parts that the provider lacks')
  context.leftOut.push(...lost)
  const blocks = replayedBlocks(said)
  const reasoning = blocks.some(isThinking) ? '' : thoughts.join('')
  if (said.length === 0 && reasoning === '') return []
  return [
    {
      role: 'assistant',
      // Texts are joined without a separator, as they were generated.
      content: texts.length === 0 && calls.length > 0 ? null : contentOf(texts, ''),
      ...(calls.length === 0 ? {} : { tool_calls: calls }),
      ...(reasoning === '' ? {} : { reasoning_content: reasoning }),
      ...(blocks.length === 0 ? {} : { content_blocks: blocks }),
      ...extra,
    },
  ]
}

const isThinking = ({ type }: JsonObject): boolean => type === 'thinking' || type === 'redacted_thinking'

/** Adds the thoughts of a signature at their places: before the text that precedes the part, or after it. */
function addCarried(said: JsonObject[], carried: JsonObject): void {
  const blocks = carriedBlocks(carried)
  const leading = Number.isInteger(carried.leading) ? Number(carried.leading) : 0
  const textFrom = said.findLastIndex(({ type }) => type !== 'text') + 1
  said.splice(textFrom, 0, ...blocks.slice(0, leading))
  said.push(...blocks.slice(leading))
}

/** Only thoughts that their provider signed: it refuses changed ones. */
function carriedBlocks({ blocks }: JsonObject): JsonObject[] {
  const given = Array.isArray(blocks) ? blocks.filter(isObject) : []
  return given.filter(
    ({ type, signature, data }) =>
      (type === 'thinking' && typeof signature === 'string' && signature !== '') ||
      (type === 'redacted_thinking' && typeof data === 'string'),
  )
}
