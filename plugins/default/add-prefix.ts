/** `default.addPrefix`: inserts a text before the messages of a role, or before the prompt. */
import type { Check, CheckInput, Json, JsonObject } from '@gateway/contract'
import { Type } from '@sinclair/typebox'
import { choice, type Filled } from './shared/parameters.ts'
import { prefixContents } from './shared/prefix-contents.ts'
import {
  isEmptyText,
  type Prefixed,
  prefixChat,
  prefixMessages,
  prefixResponse,
} from './shared/prefix-messages.ts'

const parameters = Type.Object(
  {
    prefix: Type.String({
      minLength: 1,
      description:
        'The text to insert before the existing one, unchanged: end it with a space or a line break.',
    }),
    applyToRole: Type.Optional(
      choice(
        ['user', 'system', 'developer', 'assistant'],
        'The role whose messages are changed. The prompt of a completion or an image is the user’s.',
      ),
    ),
    addToExisting: Type.Optional(
      Type.Boolean({
        default: true,
        description:
          'true: every message of the role is prefixed. false: one message of the role is inserted before the first ' +
          'of them. If the role has no message, one is added in either case: a system or developer message at the ' +
          'start, others at the end.',
      }),
    ),
    onlyIfEmpty: Type.Optional(
      Type.Boolean({
        default: false,
        description:
          'Prefixes only messages without content; with addToExisting false, inserts only if the role has no content. A ' +
          'role without any message still gets one.',
      }),
    ),
  },
  { additionalProperties: false },
)

type Parameters = Filled<typeof parameters>

export const addPrefix: Check<Parameters> = {
  id: 'addPrefix',
  title: 'Add a prefix',
  description:
    'Inserts a text before the messages of a role, the prompts of a completion, or the prompt of an image. ' +
    'A message that has no content but tool calls or their results stays unchanged, as do prompts of tokens. If ' +
    'the format has a separate member for the system text (system, instructions), the prefix comes before that text.',
  kind: 'mutator',
  phases: ['before'],
  parameters,
  prepare(parameters) {
    return {
      run(input) {
        const { json, changed } = prefixed(input, parameters)
        const data = { changed }
        return changed === 0 ? { verdict: true, data } : { verdict: true, data, transformed: { json } }
      },
    }
  },
}

function prefixed({ endpoint, request: { json } }: CheckInput, parameters: Parameters): Prefixed {
  switch (endpoint) {
    case 'chatComplete':
      return prefixChat(json, parameters)
    case 'messages':
    case 'countTokens':
      return prefixMessages(json, parameters)
    case 'createModelResponse':
    case 'countResponseTokens':
    case 'compactResponse':
      return prefixResponse(json, parameters)
    case 'generateContent':
    case 'countContentTokens':
      return prefixContents(json, parameters)
    case 'complete':
    case 'imageGenerate':
    case 'imageEdit':
      return parameters.applyToRole === 'user' ? prefixPrompt(json, parameters) : { json, changed: 0 }
    default:
      return { json, changed: 0 }
  }
}

function prefixPrompt(json: JsonObject, { prefix, onlyIfEmpty }: Parameters): Prefixed {
  const wanted = (text: Json | undefined): text is string =>
    typeof text === 'string' && (!onlyIfEmpty || isEmptyText(text))
  const { prompt } = json
  if (wanted(prompt)) return { json: { ...json, prompt: prefix + prompt }, changed: 1 }
  if (!Array.isArray(prompt)) return { json, changed: 0 }
  const prompts = prompt.map((text) => (wanted(text) ? prefix + text : text))
  return { json: { ...json, prompt: prompts }, changed: prompt.filter(wanted).length }
}
