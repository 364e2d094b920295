/** `qualifire.policy`: judges the request, the answer or both by policies in plain language. See evaluate.ts. */
import type { Check, CheckInput, JsonObject } from '@gateway/contract'
import { type Filled, type Scope, scope } from '@gateway/plugin-kit'
import { Type } from '@sinclair/typebox'
import { common, evaluatorOf, mode } from './evaluate.ts'
import { joinedTexts } from './text-checks.ts'

type Target = 'input' | 'output' | 'both'

const parameters = Type.Object(
  {
    policies: Type.Array(Type.String({ minLength: 1, maxLength: 4000 }), {
      minItems: 1,
      maxItems: 100,
      description: 'What must hold, such as "The model must not grant discounts."',
    }),
    policy_target: Type.Optional(
      Type.Unsafe<Target>({
        type: 'string',
        enum: ['both', 'input', 'output'],
        default: 'both',
        description:
          'What is judged: the request (input), the answer (output), or both, as far as it is there.',
      }),
    ),
    mode,
    scope,
    ...common,
  },
  { additionalProperties: false },
)

export const policy: Check<Filled<typeof parameters, 'policy_target' | 'mode' | 'scope' | 'timeout'>> = {
  id: 'policy',
  title: 'Qualifire policy',
  description: 'Fails when a policy is violated. Only the judged texts are sent to the vendor, as one text.',
  kind: 'guardrail',
  phases: ['before', 'after'],
  parameters,
  prepare({ policies, policy_target, mode, scope, ...given }, settings) {
    const evaluate = evaluatorOf(given, settings)
    return {
      async run(input, io) {
        const subject = subjectOf(input, policy_target, scope)
        if (subject === null) return { verdict: true, data: { skipped: 'no text' } }
        return evaluate(io, { ...subject, assertions: policies, assertions_mode: mode })
      },
    }
  },
}

/** @throws Error in the before phase if only the answer is to be judged: the request would pass without a check */
function subjectOf(input: CheckInput, target: Target, scope: Scope): JsonObject | null {
  if (input.phase === 'before') {
    if (target === 'output') throw new Error('policy_target is output, and there is no answer yet')
    return given(joinedTexts(input, scope), '')
  }
  const asked = target === 'output' ? '' : input.request.text
  return given(asked.trim(), target === 'input' ? '' : joinedTexts(input, 'all'))
}

function given(input: string, output: string): JsonObject | null {
  if (input === '' && output === '') return null
  const target = output === '' ? 'input' : input === '' ? 'output' : 'both'
  return {
    ...(input === '' ? {} : { input }),
    ...(output === '' ? {} : { output }),
    policy_target: target,
  }
}
