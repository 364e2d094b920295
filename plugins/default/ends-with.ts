/** `default.endsWith`: the text ends with a suffix. */
import type { Check, TextPart } from '@gateway/contract'
import { Type } from '@sinclair/typebox'
import { type Filled, not } from './shared/parameters.ts'
import { choiceContents, spokenParts } from './shared/parts.ts'

const parameters = Type.Object(
  {
    suffix: Type.String({
      minLength: 1,
      description: 'The required end of the text, case-sensitive. A full stop may follow.',
    }),
    not,
  },
  { additionalProperties: false },
)

export const endsWith: Check<Filled<typeof parameters>> = {
  id: 'endsWith',
  title: 'Ends with',
  description:
    'Passes when the text ends with the suffix: in a conversation its last message, in other requests the last text, ' +
    'in an answer the content of every choice. White space at the end is ignored.',
  kind: 'guardrail',
  phases: ['before', 'after'],
  parameters,
  prepare({ suffix, not }) {
    const ends = [suffix, suffix.trimEnd()].flatMap((end) => [end, `${end}.`, `${end}。`])
    const isEnded = (parts: readonly TextPart[]) => {
      const text = parts.at(-1)?.text ?? ''
      return ends.some((end) => text.endsWith(end) || text.trimEnd().endsWith(end))
    }
    return {
      run(input) {
        const contents = input.phase === 'after' ? choiceContents(input) : [spokenParts(input, 'last')]
        const ended = contents.map(isEnded)
        return { verdict: (ended.length > 0 && ended.every(Boolean)) !== not, data: { ended } }
      },
    }
  },
}
