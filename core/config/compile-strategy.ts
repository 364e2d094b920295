/** Compiles a strategy: its queries, and its targets by name. */

import type { Config } from '@gateway/config-file'
import { type Fault, isObject } from '@gateway/contract'
import { unknownName } from '@gateway/domain'
import type { ConfigNode, Strategy } from '@gateway/flow'
import { compileQuery } from './condition-query.ts'

const defaultTtlSeconds = 300

export function compileStrategy(
  config: Config,
  targets: readonly ConfigNode[],
  { param, faults }: { param: string; faults: Fault[] },
): Strategy | null {
  const strategy = config.strategy
  if (strategy === undefined) return null
  if (strategy.mode === 'loadbalance' && targets.every(({ weight }) => weight === 0)) {
    faults.push({ param: `${param}/targets`, code: 'all_weights_zero', message: 'every weight is 0' })
  }
  for (const key of ['sticky', 'balance'] as const) {
    if (strategy[key] === undefined || strategy.mode === 'loadbalance') continue
    const message = `needs mode loadbalance, not ${strategy.mode}`
    faults.push({ param: `${param}/strategy/${key}`, code: 'invalid_config', message })
  }
  if (strategy.mode === 'loadbalance') {
    const { sticky, balance = 'weight' } = strategy
    const ttlMs = (sticky?.ttl_seconds ?? defaultTtlSeconds) * 1000
    return { mode: 'loadbalance', balance, sticky: sticky === undefined ? null : { by: sticky.by, ttlMs } }
  }
  if (strategy.mode === 'single') return { mode: 'single' }
  if (strategy.mode === 'fallback')
    return { mode: 'fallback', onStatusCodes: strategy.on_status_codes ?? null }
  const find = (name: string | undefined, at: string): ConfigNode | null => {
    const index = (config.targets ?? []).findIndex((target) => target.name === name)
    const found = targets[index]
    if (found !== undefined && name !== undefined) return found
    faults.push({
      param: `${param}/strategy/${at}`,
      code: 'unknown_target',
      message: unknownName({
        what: 'target',
        written: name ?? '',
        known: (config.targets ?? []).flatMap((target) => target.name ?? []),
      }),
    })
    return null
  }
  const conditions = (strategy.conditions ?? []).flatMap((condition, index) => {
    const queryFaults: { path: string; message: string }[] = []
    const query = compileQuery(condition.query, { faults: queryFaults })
    for (const { path, message } of queryFaults) {
      faults.push({
        param: `${param}/strategy/conditions/${index}/query${path}`,
        code: 'invalid_config',
        message,
      })
    }
    const target = find(condition.then, `conditions/${index}/then`)
    return target === null ? [] : [{ query, target }]
  })
  const otherwise = find(strategy.default, 'default')
  if (otherwise === null) return null
  const reads = (strategy.conditions ?? []).flatMap(({ query }) => readsOf(query))
  return { mode: 'conditional', conditions, otherwise, reads: [...new Set(reads)] }
}

/** The parts of a request that a compiled query reads, other than its body and path. */
function readsOf(query: unknown): string[] {
  if (Array.isArray(query)) return query.flatMap(readsOf)
  if (!isObject(query)) return []
  return Object.entries(query).flatMap(([key, condition]) =>
    key.startsWith('$') ? readsOf(condition) : /^(?:headers|metadata)\./.test(key) ? [key] : [],
  )
}
