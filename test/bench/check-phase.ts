/** Runs the checks of a request like the gateway, without the rest of it. */
import type { Fault, JsonObject } from '@gateway/contract'
import { chat } from '#core/endpoints/chat'
import type { CheckEnvironment } from '#core/guardrails/check-io'
import { compileHooks } from '#core/guardrails/compile'
import { createCheckInput } from '#core/guardrails/input'
import { runHooks } from '#core/guardrails/run-hooks'
import type { HookContext } from '#flow/compile-context'
import type { CompiledHook } from '#flow/hook-result'
import type { Registry } from '#flow/registry'

export type Phase = readonly CompiledHook[]

/** Compiles guardrails in their short form. */
export function compileChecks(registry: Registry, items: readonly Record<string, unknown>[]): Phase {
  const context: HookContext = {
    registry,
    guardrails: {},
    pluginSettings: {},
    failClosed: false,
    isTrusted: () => true,
    compileHooks,
  }
  const faults: Fault[] = []
  const hooks = compileHooks(items as Parameters<typeof compileHooks>[0], 'before', {
    param: 'bench',
    context,
    faults,
  })
  if (faults.length > 0) throw new Error(`a guardrail of the bench is faulty: ${faults[0]?.message}`)
  return hooks
}

/** Never fires. */
const still = new AbortController().signal

/** Runs the input checks of a chat completion; throws when one denies or fails, unless the signal fired. */
export async function runPhase(phase: Phase, body: JsonObject, signal: AbortSignal = still): Promise<void> {
  const { results } = await runHooks(phase, body, {
    inputOf: (json) =>
      createCheckInput({
        phase: 'before',
        endpoint: chat,
        provider: null,
        metadata: {},
        headers: {},
        request: { json },
        response: null,
      }),
    environment: environmentOf(signal),
    runLater: () => undefined,
  })
  const failed = results.flatMap(({ checks }) => checks).find(({ error }) => error !== null)
  if (failed !== undefined && !signal.aborted) throw new Error(`${failed.id}: ${failed.error?.message}`)
}

const refuse = () => Promise.reject(new Error('the bench has no network'))

const environmentOf = (signal: AbortSignal): CheckEnvironment => ({
  signal,
  fetchJson: refuse,
  fetch: refuse,
  openBuffer: () => ({ resize: () => undefined }),
  resolves: refuse,
  chatComplete: refuse,
  keySets: { get: refuse, renew: refuse },
  readHeader: () => null,
  sharedOf: () => new Map(),
  checkRequest: () => undefined,
  reportError: () => undefined,
  reportRun: () => undefined,
})
