/** `default.redact`: replaces matches of rules with placeholders, and can put the values back into the answer. */
import { type Check, type Phase, runInTurns } from '@gateway/contract'
import { type Static, Type } from '@sinclair/typebox'
import { restored, restoredToo } from './detect/detection-check.ts'
import { describe, type Found, redact as redactFound } from './detect/redaction.ts'
import { findByRules, prepareRule, rules } from './detect/redaction-rules.ts'
import { vaultOf } from './detect/vault.ts'
import { toolDefinition } from './shared/parts.ts'

const roles = ['user', 'system', 'developer', 'assistant', 'tool', 'function', toolDefinition, 'all'] as const

const parameters = Type.Object(
  {
    rules: Type.Optional(rules),
    applyToRole: Type.Optional(
      Type.Unsafe<(typeof roles)[number]>({
        type: 'string',
        enum: roles,
        description:
          'Whose texts of a request are changed. Absent: those of the user (messages, prompt, input, query, ' +
          'documents). all: every text of the conversation, not the tool definitions. In an answer every text is ' +
          'changed, unless this names another role.',
      }),
    ),
    restore: Type.Optional(
      Type.Boolean({
        default: false,
        description:
          'Before the request: stores the replaced values until the answer. After it: puts the stored values ' +
          'back where the answer repeats a placeholder, after applying the rules, which are optional.',
      }),
    ),
  },
  { additionalProperties: false },
)

type Given = Static<typeof parameters>
type Parameters = Required<Pick<Given, 'restore' | 'rules'>> & Pick<Given, 'applyToRole'>

export const redact: Check<Parameters> = {
  id: 'redact',
  title: 'Redact',
  description:
    'Replaces matches of rules, by pattern, category or words, and puts the values back into the answer if requested. ' +
    'The verdict is always true.',
  kind: 'mutator',
  phases: ['before', 'after'],
  parameters,
  prepare({ rules, applyToRole, restore }) {
    if (rules.length === 0 && !restore) throw new Error('rules must not be empty unless restore is true')
    const finders = rules.map((rule) => prepareRule(rule, restore))
    const templateOf = (number: string) => finders[Number(number)]?.template ?? ''
    return {
      run(input, io) {
        const isAfter = input.phase === 'after'
        const finish = (found: readonly Found[]) => {
          const vault = vaultOf(io.shared)
          const isKept = restore && !isAfter
          const texts = redactFound(found, { vault, isKept, templateOf, parts: input.parts })
          const data = { ...describe(found), redacted: found.length > 0 }
          if (isAfter && restore)
            return found.length === 0 ? restored(input.parts, io) : restoredToo(input, texts, { data, io })
          return texts.size === 0 ? { verdict: true, data } : { verdict: true, data, transformed: { texts } }
        }
        const meant = input.parts.filter(({ role }) => isMeant(role, input.phase, applyToRole))
        const found = runInTurns(findByRules(finders, meant), io)
        return found instanceof Promise ? found.then(finish) : finish(found)
      },
    }
  },
}

const othersRoles: readonly string[] = roles.filter((role) => role !== 'user' && role !== 'all')

function isMeant(role: string, phase: Phase, applyToRole: Parameters['applyToRole']): boolean {
  if (applyToRole === 'all') return role !== toolDefinition
  if (applyToRole === undefined && phase === 'after') return true
  return applyToRole === undefined || applyToRole === 'user'
    ? !othersRoles.includes(role)
    : role === applyToRole
}
