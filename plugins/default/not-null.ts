/** `default.notNull`: an answer has content. */
import { type Check, type CheckInput, isObject, type JsonObject } from '@gateway/contract'
import { Type } from '@sinclair/typebox'
import { type Filled, not } from './shared/parameters.ts'
import { choiceTexts } from './shared/parts.ts'

const parameters = Type.Object({ not }, { additionalProperties: false })

export const notNull: Check<Filled<typeof parameters>> = {
  id: 'notNull',
  title: 'Not null',
  description:
    'Passes when every choice of the answer has content other than null and white space, or calls a tool. Reasoning ' +
    'alone does not count as content.',
  kind: 'guardrail',
  phases: ['after'],
  parameters,
  prepare({ not }) {
    return {
      run(input) {
        const texts = choiceTexts(input)
        const filled = texts.map((text, index) => text.trim() !== '' || callsTool(input, index))
        return { verdict: (filled.length > 0 && filled.every(Boolean)) !== not, data: { filled } }
      },
    }
  },
}

/** Whether a choice calls a tool, in any format of answers. */
function callsTool({ response }: CheckInput, index: number): boolean {
  const { choices, content, output } = response?.json ?? {}
  const choice = Array.isArray(choices) ? choices[index] : undefined
  const message = isObject(choice) && isObject(choice.message) ? choice.message : {}
  return (
    (Array.isArray(message.tool_calls) && message.tool_calls.length > 0) ||
    isObject(message.function_call) ||
    objectsOf(content).some(({ type }) => typeof type === 'string' && type.endsWith('tool_use')) ||
    objectsOf(output).some(({ type }) => typeof type === 'string' && type.endsWith('_call'))
  )
}

const objectsOf = (list: unknown): JsonObject[] => (Array.isArray(list) ? list.filter(isObject) : [])
