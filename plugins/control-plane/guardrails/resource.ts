/**
 * Guardrails (management contract, section 13), of a workspace or of the whole organisation: checks with parameters
 * validated by their own schemas, and the actions for their verdicts. Every change creates a version.
 */

import type { JsonObject } from '@gateway/contract'
import {
  fillMasks,
  type GuardrailData,
  isSame,
  kinds,
  maskContent,
  openContent,
  recordOf,
  resolveMasks,
  sealContent,
  secretsOfChecks,
  timeOrderedId,
} from '@gateway/domain'
import { Type } from '@sinclair/typebox'
import { defineResource, type Write } from '../engine/index.ts'
import { isStrayMask, versionWrite } from '../shared/index.ts'
import { guardrailInvokeRoutes } from './invoke.ts'
import { guardrailRoutes } from './routes.ts'
import {
  actionsAnswer,
  actionsInput,
  asHook,
  checksAnswer,
  checksInput,
  outcome,
  readChecks,
  readOutcome,
} from './shape.ts'
import { guardrailUsers } from './users.ts'

/** Whether `deny` is not set: the checks' default then applies and may change with them. */
type StoredGuardrail = GuardrailData & { is_deny_default?: boolean }

/** Members of `actions` that are also accepted at the root of the body. */
const rootActions = ['deny', 'async', 'on_success', 'on_fail'] as const

export const guardrails = defineResource<StoredGuardrail, 'checkGuardrail' | 'checks'>({
  kind: kinds.guardrail,
  object: 'guardrail',
  title: 'guardrail',
  tag: 'Guardrails',
  operation: 'guardrail',
  path: '/guardrails',
  aliases: ['/guardrails'],
  level: 'either',
  families: [
    { family: 'organisation_guardrails', level: 'organisation', isShared: true },
    { family: 'guardrails', level: 'workspace' },
    // A workspace's list includes the organisation's guardrails that apply there.
    { family: 'guardrails', level: 'organisation', isShared: true, isListOnly: true },
  ],
  slug: { prefix: 'gr-' },
  fields: {
    checks: { schema: checksInput, isRequired: true, answer: checksAnswer },
    actions: { schema: actionsInput, default: {}, merge: 'one', answer: actionsAnswer },
    deny: { schema: Type.Boolean(), isTransient: true },
    async: { schema: Type.Boolean(), isTransient: true },
    on_success: { schema: outcome, isTransient: true },
    on_fail: { schema: outcome, isTransient: true },
    fail_closed: { schema: Type.Boolean(), default: false },
    type: {
      schema: Type.Union([Type.Literal('guardrail'), Type.Literal('mutator')], {
        explain: 'must be guardrail or mutator',
      }),
      default: 'guardrail',
      writable: 'create',
    },
  },
  answers: { version: Type.Integer({ minimum: 1 }), version_id: Type.String() },
  writableStatuses: ['active'],
  hooks: {
    prepare,
    attributes: ({ data }) => ({ check: [...new Set(data.checks.map(({ id }) => id))] }),
    present: (document, { context }) => ({
      checks: maskContent(document.data.checks, context.sealer, recordOf(document)),
      version: document.data.guardrail_version,
      version_id: document.data.version_id,
    }),
    inUse: guardrailUsers,
  },
  routes: [...guardrailRoutes, ...guardrailInvokeRoutes],
})

async function prepare(write: Write<StoredGuardrail, 'checkGuardrail' | 'checks'>): Promise<void> {
  if (write.action === 'archive') return
  const { draft, before } = write
  const { sealer } = write.call.context
  const stored = before === null ? [] : openContent(before.data.checks, sealer, recordOf(before))
  takeActions(write)
  draft.data.checks = takeChecks(write, stored)
  fillDeny(write)
  const hook = asHook(draft.data, draft.id)
  const workspaceId = draft.workspace_id ?? (await write.call.organisation()).data.default_workspace_id
  for (const { param, message, code } of await write.call.context.checkGuardrail(hook, workspaceId)) {
    // Maps the paths of config errors to members of this body. An error of the whole config concerns the type.
    write.fault(param === '' ? '/type' : param, message, code === 'invalid_config' ? 'invalid_body' : code)
  }
  const content = contentOf(draft.data)
  if (before !== null && isSame(contentOf({ ...before.data, checks: stored }), content)) {
    draft.data.checks = before.data.checks
    return
  }
  draft.data.checks = sealContent(draft.data.checks, sealer, recordOf(draft))
  const version = (before?.data.guardrail_version ?? 0) + 1
  const id = timeOrderedId(write.call.nowMs)
  draft.data.guardrail_version = version
  draft.data.version_id = id
  const sealed = sealContent(content, sealer, recordOf({ kind: kinds.guardrailVersion, id }))
  write.also.push(
    versionWrite({ kind: kinds.guardrailVersion, id, version, content: sealed }, draft, write.call),
  )
}

/** The decrypted checks: as sent, with masks replaced by stored secrets, otherwise as stored. */
function takeChecks(
  { body, isGiven, fault }: Write<StoredGuardrail>,
  stored: GuardrailData['checks'],
): GuardrailData['checks'] {
  if (!isGiven('checks')) return stored
  const given = readChecks(body.checks)
  const { secrets, strays } = resolveMasks(
    secretsOfChecks(given, '/checks'),
    secretsOfChecks(stored, '/checks'),
  )
  for (const param of strays) fault(param, isStrayMask)
  return fillMasks(given, secrets, '/checks')
}

const contentOf = ({ checks, actions, fail_closed, type }: GuardrailData): JsonObject => ({
  checks,
  actions,
  fail_closed,
  type,
})

/** Root members have the same meaning as those in `actions`. Both may be set if they agree. */
function takeActions(write: Write<StoredGuardrail>): void {
  const { draft, body } = write
  const actions: JsonObject = { ...draft.data.actions }
  const given = (body.actions ?? {}) as JsonObject
  for (const name of rootActions) {
    const root = body[name]
    if (!write.isGiven(name) || root === undefined) continue
    if (given[name] !== undefined && !isSame(given[name], root)) {
      write.fault(`/${name}`, `must equal actions.${name}`)
    }
    if (root === null) delete actions[name]
    else actions[name] = root
  }
  const [onSuccess, onFail] = [readOutcome(actions.on_success), readOutcome(actions.on_fail)]
  draft.data.actions = {
    // Missing ones are set below.
    deny: actions.deny as boolean,
    async: actions.async === true,
    ...(onSuccess === undefined ? {} : { on_success: onSuccess }),
    ...(onFail === undefined ? {} : { on_fail: onFail }),
  }
}

/** An unset `deny` defaults to the checks' own setting. */
function fillDeny({ draft, body, before, call, isGiven }: Write<StoredGuardrail, 'checks'>): void {
  const { data } = draft
  const given = (body.actions ?? {}) as JsonObject
  const isSaid = isGiven('deny') ? body.deny !== null : given.deny !== undefined && given.deny !== null
  const wasSaid =
    before !== null && before.data.is_deny_default !== true && typeof data.actions.deny === 'boolean'
  data.is_deny_default = !isSaid && !wasSaid
  if (!data.is_deny_default) return
  const denying = new Set(call.context.checks().flatMap((check) => (check.default_deny ? [check.id] : [])))
  data.actions.deny = data.checks.some((check) => check.is_enabled && denying.has(check.id))
}
