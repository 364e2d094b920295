/**
 * Guardrails that a request cannot switch off: those of the whole gateway, of its workspace and of its key, in that
 * order, before its config's own. They run at the root, at every node below it whose `override_params` may change the
 * checked text, and on the answer of every leaf and cache.
 */
import { createHash } from 'node:crypto'
import type { Fault, Phase } from '@gateway/contract'
import type { Guardrail } from '@gateway/domain'
import type { ConfigNode, HookContext, MandatoryHooks } from '@gateway/flow'
import { moveStrategy } from './move-strategy.ts'

export const noMandatoryHooks: MandatoryHooks = { before: [], after: [] }

/** Joins sets of mandatory hooks, the outermost first. */
export function joinMandatory(...sets: readonly MandatoryHooks[]): MandatoryHooks {
  const given = sets.filter(({ before, after }) => before.length + after.length > 0)
  const [only = noMandatoryHooks] = given
  if (given.length < 2) return only
  return { before: given.flatMap(({ before }) => before), after: given.flatMap(({ after }) => after) }
}

/** Adds these hooks to the tree; returns the same tree if the list is empty. */
export function withMandatory(root: ConfigNode, hooks: MandatoryHooks): ConfigNode {
  if (hooks.before.length === 0 && hooks.after.length === 0) return root
  return addHooks(root, hooks, { isRoot: true, atLeaves: root.hasPrompts })
}

/** @param atLeaves whether the text is known only at the leaves, because they run prompts */
function addHooks(
  node: ConfigNode,
  hooks: MandatoryHooks,
  { isRoot, atLeaves }: { isRoot: boolean; atLeaves: boolean },
): ConfigNode {
  const { before, after } = hooks
  const targets = node.targets.map((target) => addHooks(target, hooks, { isRoot: false, atLeaves }))
  const isChecked = atLeaves ? targets.length === 0 : isRoot || node.overrideParams !== null
  const answers = targets.length === 0 || node.cache !== null
  return {
    ...node,
    targets,
    strategy: node.strategy === null ? null : moveStrategy(node.strategy, node.targets, targets),
    before: isChecked ? [...before, ...node.before] : node.before,
    isChecked: node.isChecked || before.length > 0,
    after: answers ? [...after, ...node.after] : node.after,
    fingerprint: node.cache === null ? node.fingerprint : fingerprintOf(node, hooks),
  }
}

/** Answers checked by other guardrails need another cache key. */
function fingerprintOf(node: ConfigNode, { before, after }: MandatoryHooks): string {
  const ids = [...before, ...after].map((hook) => [hook.id, hook.deny, hook.checks.map(({ id }) => id)])
  return createHash('sha256').update(node.fingerprint).update(JSON.stringify(ids)).digest('base64url')
}

interface CompileMandatoryOptions {
  param: string
  context: HookContext
  faults: Fault[]
}

/** Default guardrails from the config file: those of the gateway, a workspace or a key. */
export function compileMandatory(
  declared: { input_guardrails?: unknown; output_guardrails?: unknown } | undefined,
  { param, context, faults }: CompileMandatoryOptions,
): MandatoryHooks {
  const compile = (key: 'input_guardrails' | 'output_guardrails', phase: Phase) =>
    // The value has passed the file's schema: items are ids or guardrails.
    context.compileHooks((declared?.[key] ?? []) as (string | Guardrail)[], phase, {
      param: `${param}/${key}`,
      context,
      faults,
    })
  return { before: compile('input_guardrails', 'before'), after: compile('output_guardrails', 'after') }
}
