/** The schemas of guardrails in bodies and answers, and the conversion of a body to stored data. */
import { isObject, type Json, type JsonObject } from '@gateway/contract'
import type { GuardrailData } from '@gateway/domain'
import { Type } from '@sinclair/typebox'

const closed = { additionalProperties: false } as const
const metadata = Type.Object({}, { additionalProperties: true })

const feedback = Type.Object(
  {
    value: Type.Optional(Type.Integer({ minimum: -10, maximum: 10 })),
    weight: Type.Optional(Type.Number({ minimum: 0, maximum: 1 })),
    metadata: Type.Optional(metadata),
  },
  closed,
)

/** The actions for a guardrail that passes or fails. */
export const outcome = Type.Object({ feedback: Type.Optional(feedback) }, closed)

const nullable = (schema: typeof outcome | ReturnType<typeof Type.Boolean>) =>
  Type.Optional(Type.Union([schema, Type.Null()]))

export const actionsInput = Type.Object(
  {
    deny: nullable(Type.Boolean()),
    async: nullable(Type.Boolean()),
    on_success: nullable(outcome),
    on_fail: nullable(outcome),
  },
  closed,
)

export const actionsAnswer = Type.Object(
  {
    deny: Type.Boolean(),
    async: Type.Boolean(),
    on_success: Type.Optional(outcome),
    on_fail: Type.Optional(outcome),
  },
  { title: 'GuardrailActions' },
)

const parameters = Type.Object({}, { additionalProperties: true })

export const checksInput = Type.Array(
  Type.Object(
    {
      id: Type.String({ minLength: 1, maxLength: 255 }),
      name: Type.Optional(Type.String({ minLength: 1, maxLength: 255 })),
      is_enabled: Type.Optional(Type.Boolean()),
      parameters: Type.Optional(parameters),
    },
    closed,
  ),
  { minItems: 1, maxItems: 100 },
)

export const checksAnswer = Type.Array(
  Type.Object(
    {
      id: Type.String(),
      name: Type.Optional(Type.String()),
      is_enabled: Type.Boolean(),
      parameters,
    },
    { title: 'GuardrailCheck' },
  ),
)

type StoredCheck = GuardrailData['checks'][number]

/** Checks with their defaults. An id without a plugin belongs to the `default` plugin. */
export function readChecks(written: Json | undefined): StoredCheck[] {
  return (Array.isArray(written) ? written : []).filter(isObject).map((check) => ({
    id: withPlugin(String(check.id)),
    ...(typeof check.name === 'string' ? { name: check.name } : {}),
    is_enabled: check.is_enabled !== false,
    parameters: isObject(check.parameters) ? check.parameters : {},
  }))
}

const withPlugin = (id: string) => (id.includes('.') ? id : `default.${id}`)

/** Feedback has full weight unless the body sets one. */
export function readOutcome(written: Json | undefined): JsonObject | undefined {
  if (!isObject(written)) return undefined
  return isObject(written.feedback) ? { feedback: { weight: 1, ...written.feedback } } : {}
}

/** The guardrail in the form of a config, in which it is validated and run. */
export function asHook({ checks, actions, fail_closed, type }: GuardrailData, id: string): JsonObject {
  const { deny, async, on_success: onSuccess, on_fail: onFail } = actions
  return {
    id,
    type,
    deny,
    async,
    fail_closed,
    ...(onSuccess === undefined ? {} : { on_success: onSuccess }),
    ...(onFail === undefined ? {} : { on_fail: onFail }),
    checks: checks.map((check) => ({ id: check.id, parameters: check.parameters })),
  }
}
