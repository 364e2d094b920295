/** The guardrails that would run, with their sources. */
import type { JsonObject } from '@gateway/contract'
import type { CompiledHook, ConfigNode, MandatoryHooks, Resolved } from '../../flow/index.ts'

type Side = keyof MandatoryHooks

export function describeGuardrails(exchange: Resolved): JsonObject {
  const { workspace, identity, keyDocument, node } = exchange
  const { keyDefaults, workspaceDefaults } = workspace.defaultsOf(identity, keyDocument)
  const sources: [string, MandatoryHooks][] = [
    ['organisation', workspace.mandatory],
    ['workspace', workspaceDefaults.mandatory],
    ['key', keyDefaults.mandatory],
  ]
  const list = (side: Side) => {
    const named = new Map<CompiledHook, string>()
    for (const [source, hooks] of sources) for (const hook of hooks[side]) named.set(hook, source)
    if (node !== null)
      for (const hook of hooksBelow(node, side)) if (!named.has(hook)) named.set(hook, 'config')
    return [...named].map(([{ id }, source]) => ({ id, source }))
  }
  return { input: list('before'), output: list('after') }
}

const hooksBelow = (node: ConfigNode, side: Side): CompiledHook[] => [
  ...node[side],
  ...node.targets.flatMap((target) => hooksBelow(target, side)),
]
