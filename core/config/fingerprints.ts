/**
 * The two fingerprints of a node with a cache. One covers everything that determines its answers: the scope of the
 * cache. The other covers the whole node. Settings of how targets are called, and of how long and how widely answers
 * are reused, do not change answers, so a config can be tuned without emptying its cache.
 */
import { createHash } from 'node:crypto'
import type { Config } from '@gateway/config-file'
import type { CompileContext, ConfigNode, ResolvedTarget } from '@gateway/flow'
import type { Inherited } from './inherit.ts'

type Strategy = NonNullable<Config['strategy']>
type Tree = Pick<ConfigNode, 'target' | 'targets'>

/** The scope of the node's cache: its targets, parameters, credentials and guardrails. */
export function scopeFingerprint(
  config: Config,
  own: Inherited,
  { tree, context: { version } }: { tree: Tree; context: CompileContext },
): string {
  const { customHost, strict, forwardHeaders, outputGuardrails, afterHooks } = own
  return hashOf([
    scopeOf(config),
    { customHost: customHost?.url, strict, forwardHeaders },
    [outputGuardrails?.items, afterHooks?.items],
    identitiesOf(tree),
    version,
  ])
}

/** Everything about the node: concurrent requests share a call only if they would make it in the same way. */
export function callFingerprint(config: Config, own: Inherited): string {
  const { retry, breaker, requestTimeoutMs, streamClocks, marksPrompt } = own
  return hashOf([config, retry, breaker, requestTimeoutMs, streamClocks, marksPrompt])
}

const hashOf = (material: unknown): string =>
  createHash('sha256').update(JSON.stringify(material)).digest('base64url')

const identitiesOf = ({ target, targets }: Tree): unknown[] => [
  (target satisfies ResolvedTarget | null)?.identity ?? null,
  ...targets.map(identitiesOf),
]

/** The keys of a tree that change its answers. */
function scopeOf(config: Config): unknown {
  const {
    name: _name,
    weight: _weight,
    cache: _cache,
    retry: _retry,
    hedge: _hedge,
    queue: _queue,
    shadow: _shadow,
    cb_config: _breaker,
    request_timeout: _requestTimeout,
    first_token_timeout: _firstTokenTimeout,
    stream_idle_timeout: _streamIdleTimeout,
    stream_total_timeout: _streamTotalTimeout,
    on_status_codes: _statusCodes,
    prompt_cache: _promptCache,
    strategy,
    targets = [],
    ...rest
  } = config
  return [rest, strategy === undefined ? null : choiceOf(strategy, targets), targets.map(scopeOf)]
}

/** The targets that can answer, without their names and shares. */
function choiceOf(strategy: Strategy, targets: readonly Config[]): unknown {
  const { mode, conditions = [], default: otherwise, on_status_codes: codes = [] } = strategy
  const indexOf = (name: string | undefined) => targets.findIndex((target) => target.name === name)
  switch (mode) {
    case 'single':
      return [mode]
    case 'loadbalance':
      return [mode, targets.map(({ weight }) => weight === 0)]
    case 'fallback':
      return [mode, targets.map((target) => successes(target.on_status_codes ?? codes))]
    case 'conditional':
      return [mode, conditions.map(({ query, then }) => [query, indexOf(then)]), indexOf(otherwise)]
  }
}

/** Only successful answers are stored. */
const successes = (codes: readonly number[]) => codes.filter((code) => code >= 200 && code <= 299)
