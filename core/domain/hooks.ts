/** Hooks and guardrails as configs write them, in both forms. */
import { type Static, Type } from '@sinclair/typebox'

const closed = { additionalProperties: false } as const
const metadata = Type.Record(Type.String(), Type.Unknown())

const feedback = Type.Object(
  {
    value: Type.Optional(Type.Number()),
    weight: Type.Optional(Type.Number()),
    metadata: Type.Optional(metadata),
  },
  closed,
)

const outcome = Type.Object(
  { feedback: Type.Optional(feedback), deny: Type.Optional(Type.Boolean()) },
  closed,
)

const check = Type.Object(
  {
    id: Type.String({ minLength: 1 }),
    parameters: Type.Record(Type.String(), Type.Unknown()),
  },
  closed,
)

/** The members that hooks and both forms of guardrails share. */
const hookKeys = {
  type: Type.Optional(
    Type.Union([Type.Literal('guardrail'), Type.Literal('mutator')], {
      explain: 'must be guardrail or mutator',
    }),
  ),
  deny: Type.Optional(Type.Boolean()),
  async: Type.Optional(Type.Boolean()),
  fail_closed: Type.Optional(Type.Boolean()),
  sequential: Type.Optional(Type.Boolean()),
  on_fail: Type.Optional(outcome),
  on_success: Type.Optional(outcome),
}

/** The keys of the short form that are not check ids. */
export const reservedHookKeys: readonly string[] = ['id', 'checks', ...Object.keys(hookKeys)]

export const hookSchema = Type.Object(
  {
    id: Type.String({ minLength: 1 }),
    ...hookKeys,
    checks: Type.Optional(Type.Array(check)),
  },
  closed,
)

/** A guardrail as an object: a hook, or the short form, in which every further key is a check id. */
export const guardrailSchema = Type.Object(
  {
    id: Type.Optional(Type.String({ minLength: 1 })),
    ...hookKeys,
    checks: Type.Optional(Type.Array(check)),
  },
  { additionalProperties: Type.Object({}) },
)

export type Hook = Static<typeof hookSchema>
export type Guardrail = Static<typeof guardrailSchema> & Record<string, unknown>

/** A saved guardrail with every check switched off: it always passes. */
export const disabledGuardrail: Guardrail = Object.freeze({ checks: [] })
