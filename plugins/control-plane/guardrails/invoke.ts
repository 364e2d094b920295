/**
 * Runs a guardrail for testing: a stored one or checks in the body, on a request or an answer (section 13). No model is
 * called unless a check calls one.
 */

import { GatewayError, isObject, type JsonObject } from '@gateway/contract'
import { type GuardrailData, openContent, recordOf } from '@gateway/domain'
import { type Static, Type } from '@sinclair/typebox'
import type { Call, ExtraRoute } from '../engine/index.ts'
import { asHook, checksInput, readChecks } from './shape.ts'

const closed = { additionalProperties: false } as const
const json = Type.Object({ json: Type.Object({}, { additionalProperties: true }) }, closed)

const subject = {
  hook: Type.Union([Type.Literal('beforeRequestHook'), Type.Literal('afterRequestHook')], {
    explain: 'must be beforeRequestHook or afterRequestHook',
  }),
  request: json,
  response: Type.Optional(json),
  metadata: Type.Optional(Type.Record(Type.String(), Type.String())),
}

const subjectBody = Type.Object(subject, closed)

const inlineBody = Type.Object(
  {
    ...subject,
    checks: checksInput,
    type: Type.Optional(Type.Union([Type.Literal('guardrail'), Type.Literal('mutator')])),
    deny: Type.Optional(Type.Boolean()),
    fail_closed: Type.Optional(Type.Boolean()),
  },
  closed,
)

const hookResult = Type.Object(
  {
    id: Type.String(),
    verdict: Type.Boolean(),
    deny: Type.Boolean(),
    async: Type.Boolean(),
    type: Type.Union([Type.Literal('guardrail'), Type.Literal('mutator')]),
    execution_time: Type.Number({ description: 'Milliseconds.' }),
    transformed: Type.Boolean(),
    feedback: Type.Union([Type.Object({}, { additionalProperties: true }), Type.Null()]),
    checks: Type.Array(
      Type.Object(
        {
          id: Type.String(),
          verdict: Type.Boolean(),
          error: Type.Union([Type.Object({ name: Type.String(), message: Type.String() }), Type.Null()]),
          execution_time: Type.Number(),
          transformed: Type.Boolean(),
        },
        { additionalProperties: true },
      ),
    ),
  },
  { title: 'HookResult' },
)

const scopes = ['guardrails.invoke']

export const guardrailInvokeRoutes: ExtraRoute<GuardrailData>[] = [
  {
    method: 'POST',
    path: '/invoke',
    operationId: 'guardrailInvokeInline',
    summary: 'Runs checks on a given request or answer',
    action: null,
    scopes,
    body: inlineBody,
    bodyLimit: 'server.body_limit',
    answer: hookResult,
    async handle(call) {
      // The body has passed its schema.
      const body = call.body as Static<typeof inlineBody>
      const checks = readChecks(body.checks as JsonObject[]).filter(({ is_enabled }) => is_enabled)
      const { type, deny, fail_closed } = body
      const said = { type, deny, fail_closed }
      return run(call, { id: 'inline', ...withoutAbsent(said), checks: checks.map(asCheck) }, body)
    },
  },
  {
    method: 'POST',
    path: '/:id/invoke',
    operationId: 'guardrailInvoke',
    summary: 'Runs a guardrail on a given request or answer',
    action: null,
    scopes,
    isBodyOptional: false,
    body: subjectBody,
    bodyLimit: 'server.body_limit',
    answer: hookResult,
    async handle(call, { kind, slug, id, data }) {
      const checks = openContent(data.checks, call.context.sealer, recordOf({ kind, id }))
      const enabled = { ...data, checks: checks.filter(({ is_enabled }) => is_enabled) }
      return run(call, asHook(enabled, slug ?? id), call.body as Static<typeof subjectBody>)
    },
  },
]

const asCheck = ({ id, parameters }: GuardrailData['checks'][number]): JsonObject => ({ id, parameters })

const withoutAbsent = (members: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined))

function run(
  call: Call,
  guardrail: JsonObject,
  { hook, request, response, metadata = {} }: Static<typeof subjectBody>,
): Promise<JsonObject> {
  if (hook === 'afterRequestHook' && response === undefined) {
    throw new GatewayError('invalid_body', '/response: is required for afterRequestHook', {
      param: '/response',
    })
  }
  if (Array.isArray(guardrail.checks) && guardrail.checks.length === 0)
    return Promise.resolve(passed(guardrail))
  return call.request.runGuardrail(guardrail, {
    hook,
    request: request.json as JsonObject,
    response: response === undefined ? null : (response.json as JsonObject),
    metadata,
  })
}

/** The result of a guardrail without enabled checks: it passes. */
function passed({ id, deny, async: isAsync, type, on_success: onSuccess }: JsonObject): JsonObject {
  return {
    id: id ?? null,
    verdict: true,
    deny: deny === true,
    async: isAsync === true,
    type: type ?? 'guardrail',
    execution_time: 0,
    transformed: false,
    feedback: isObject(onSuccess) ? (onSuccess.feedback ?? null) : null,
    checks: [],
  }
}
