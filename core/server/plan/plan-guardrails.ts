/** The guardrails that would run, with their sources. */
import type { InferencePlan, PlannedGuardrail } from '@gateway/contract'
import type { CompiledHook, ConfigNode, MandatoryHooks, Resolved } from '@gateway/flow'

type Side = keyof MandatoryHooks

export function planGuardrails(exchange: Resolved): InferencePlan['guardrails'] {
  const { caller, workspace, node } = exchange
  const { keyDefaults, workspaceDefaults } = workspace.defaultsOf(caller)
  const sources: [PlannedGuardrail['source'], MandatoryHooks][] = [
    ['organisation', workspace.mandatory],
    ['workspace', workspaceDefaults.mandatory],
    ['key', keyDefaults.mandatory],
  ]
  const list = (side: Side) => {
    const named = new Map<CompiledHook, PlannedGuardrail['source']>()
    for (const [source, hooks] of sources) for (const hook of hooks[side]) named.set(hook, source)
    for (const hook of hooksBelow(node, side)) if (!named.has(hook)) named.set(hook, 'config')
    return [...named].map(([{ id }, source]) => ({ id, source }))
  }
  return { input: list('before'), output: list('after') }
}

const hooksBelow = (node: ConfigNode, side: Side): CompiledHook[] => [
  ...node[side],
  ...node.targets.flatMap((target) => hooksBelow(target, side)),
]
