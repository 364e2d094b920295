/**
 * `qualifire.toolUseQuality`: judges whether the answer calls the right tools with the right arguments.
 * The vendor needs the conversation, the calls and the tools' definitions. See evaluate.ts.
 * Errors: Error for tools of an endpoint other than chat completions, whose calls have another form.
 */
import { type Check, type CheckInput, isObject, type Json, type JsonObject } from '@gateway/contract'
import type { Filled } from '@gateway/plugin-kit'
import { Type } from '@sinclair/typebox'
import { common, evaluatorOf, mode } from './evaluate.ts'

const parameters = Type.Object({ mode, ...common }, { additionalProperties: false })

export const toolUseQuality: Check<Filled<typeof parameters, 'mode' | 'timeout'>> = {
  id: 'toolUseQuality',
  title: 'Qualifire tool use quality',
  description:
    'Fails when the answer calls a wrong tool, or one with wrong arguments. Passes where the request has no tools. ' +
    'The conversation, the tools and the calls are sent to the vendor; each choice in a separate call.',
  kind: 'guardrail',
  phases: ['after'],
  parameters,
  prepare({ mode, ...given }, settings) {
    const evaluate = evaluatorOf(given, settings)
    return {
      async run(input, io) {
        const tools = toolsOf(input.request.json.tools)
        const answers = tools.length === 0 ? [] : answersOf(input)
        if (answers.length === 0) return { verdict: true, data: { skipped: 'no tools' } }
        const asked = messagesOf(input.request.json.messages)
        const verdicts = await Promise.all(
          answers.map((answer) =>
            evaluate(io, {
              messages: [...asked, messageOf(answer)],
              available_tools: tools,
              tool_use_quality_check: true,
              tuq_mode: mode,
            }),
          ),
        )
        return {
          verdict: verdicts.every(({ verdict }) => verdict),
          data: { choices: verdicts.map(({ data }) => data) },
        }
      },
    }
  },
}

/** The answer's messages. */
function answersOf({ endpoint, response }: CheckInput): JsonObject[] {
  if (endpoint !== 'chatComplete') throw new Error('tool use can be judged on chat completions only')
  if (response?.json == null) throw new Error('tool use cannot be judged while the answer is still arriving')
  const { choices } = response.json
  return listOf(choices).flatMap(({ message }) => (isObject(message) ? [message] : []))
}

const toolsOf = (tools: Json | undefined): JsonObject[] =>
  listOf(tools).flatMap((tool) => {
    const { name, description, parameters } = isObject(tool.function) ? tool.function : tool
    if (typeof name !== 'string') return []
    return [{ name, description: description ?? '', parameters: parameters ?? {} }]
  })

const messagesOf = (messages: Json | undefined): JsonObject[] => listOf(messages).map(messageOf)

/** A message in the vendor's format: text, and calls whose arguments are an object. */
function messageOf({ role, content, tool_calls, tool_call_id }: JsonObject): JsonObject {
  const calls = listOf(tool_calls).flatMap((call) => {
    const { name, arguments: written } = isObject(call.function) ? call.function : {}
    return typeof name === 'string' ? [{ id: call.id, name, arguments: argumentsOf(written) }] : []
  })
  return {
    role: typeof role === 'string' ? role : 'assistant',
    content: textOf(content),
    ...(calls.length === 0 ? {} : { tool_calls: calls }),
    ...(typeof tool_call_id === 'string' ? { tool_call_id } : {}),
  }
}

function textOf(content: Json | undefined): string {
  if (typeof content === 'string') return content
  return listOf(content)
    .flatMap(({ text }) => (typeof text === 'string' ? [text] : []))
    .join('\n')
}

/** Arguments that are not a JSON object are sent as text. */
function argumentsOf(written: Json | undefined): Json {
  if (typeof written !== 'string') return written ?? {}
  try {
    const parsed: unknown = JSON.parse(written)
    return isObject(parsed) ? parsed : { raw: written }
  } catch {
    return { raw: written }
  }
}

const listOf = (list: Json | undefined): JsonObject[] => (Array.isArray(list) ? list.filter(isObject) : [])
