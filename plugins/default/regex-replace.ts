/** `default.regexReplace`: replaces matches of a pattern in requests and answers. */
import {
  type Check,
  type Pattern,
  type Phase,
  runInTurns,
  type TextPart,
  type Turns,
  type Verdict,
} from '@gateway/contract'
import { type Static, Type } from '@sinclair/typebox'
import { partsInScope } from './shared/parts.ts'
import { findPlaces } from './shared/places.ts'
import { replaceText } from './shared/replace-text.ts'
import { compileRule, rule } from './shared/rule.ts'

const roles = [
  'user',
  'system',
  'developer',
  'assistant',
  'tool',
  'function',
  'tool_definition',
  'all',
] as const

const parameters = Type.Object(
  {
    rule,
    redactText: Type.Optional(
      Type.String({
        default: '[REDACTED]',
        description: 'The replacement for each match; $1 and $<name> refer to groups, $$ is a dollar sign.',
      }),
    ),
    failOnDetection: Type.Optional(
      Type.Boolean({ default: false, description: 'Whether a match makes the verdict false.' }),
    ),
    applyToRole: Type.Optional(
      Type.Unsafe<(typeof roles)[number]>({
        type: 'string',
        enum: roles,
        description:
          'Whose texts of a request are changed. Absent: those of the user (messages, prompt, input, query, ' +
          'documents). all: every text of the conversation, not the tool definitions. In an answer every text is changed, unless this names another role.',
      }),
    ),
  },
  { additionalProperties: false },
)

type Given = Static<typeof parameters>
type Parameters = Required<Omit<Given, 'applyToRole'>> & Pick<Given, 'applyToRole'>

/** The most places that are reported. */
const maxPlaces = 10

export const regexReplace: Check<Parameters> = {
  id: 'regexReplace',
  title: 'Regular expression replacement',
  description:
    'Replaces every match of the rule with redactText, including in tool-call arguments; JSON stays valid JSON. The verdict is ' +
    'true, unless failOnDetection is set and something matched.',
  kind: 'mutator',
  phases: ['before', 'after'],
  parameters,
  prepare({ rule, redactText, failOnDetection, applyToRole }) {
    const pattern = compileRule(rule)
    return {
      run(input, io) {
        const parts = partsInScope(input, 'all').filter(({ role }) => isMeant(role, input.phase, applyToRole))
        return runInTurns(change(pattern, parts, { redactText, failOnDetection }), io)
      },
    }
  },
}

function* change(
  pattern: Pattern,
  parts: readonly TextPart[],
  { redactText, failOnDetection }: { redactText: string; failOnDetection: boolean },
): Turns<Verdict> {
  const matches = yield* findPlaces(pattern, parts, maxPlaces)
  if (matches.length === 0) return { verdict: true, data: { matches } }
  const texts = new Map<string, string>()
  for (const { path, text } of parts) {
    const replaced = yield* replaceText(pattern, text, redactText)
    if (replaced !== text) texts.set(path, replaced)
  }
  return { verdict: !failOnDetection, data: { matches, texts: texts.size }, transformed: { texts } }
}

const othersRoles: readonly string[] = roles.filter((role) => role !== 'user' && role !== 'all')

function isMeant(role: TextPart['role'], phase: Phase, applyToRole: Parameters['applyToRole']): boolean {
  if (applyToRole === 'all') return role !== 'tool_definition'
  if (applyToRole === undefined && phase === 'after') return true
  return applyToRole === undefined || applyToRole === 'user'
    ? !othersRoles.includes(role)
    : role === applyToRole
}
