/** Compiled hooks and guardrails: checks resolved, parameters validated and prepared. */
import type { Check, JsonObject, Phase, PreparedCheck } from '@gateway/contract'

export interface CompiledCheck {
  /** `plugin.check`. */
  id: string
  check: Check
  prepared: PreparedCheck
  /** `plugins.settings.PLUGIN`. */
  settings: Readonly<JsonObject>
  /** Milliseconds, when its parameters override the default. */
  timeoutMs: number | null
  /** The inbound header that it may read, in lower case; null for most checks. */
  headerName: string | null
}

export interface Feedback {
  value?: number | undefined
  weight?: number | undefined
  metadata?: Record<string, unknown> | undefined
}

export interface CompiledHook {
  id: string
  type: 'guardrail' | 'mutator'
  /** Whether it denies on failure, and whether it denies on success, which guards against forbidden content do. */
  deny: boolean
  denyOnSuccess: boolean
  async: boolean
  failClosed: boolean
  sequential: boolean
  onFail: Feedback | null
  onSuccess: Feedback | null
  checks: readonly CompiledCheck[]
}

/** Mandatory guardrails. */
export interface MandatoryHooks {
  before: readonly CompiledHook[]
  after: readonly CompiledHook[]
}

export interface CheckResult {
  id: string
  verdict: boolean
  data: unknown
  error: { name: string; message: string } | null
  /** The reason for the failure, if the check reports one. */
  explanation?: string
  /** Milliseconds. */
  execution_time: number
  transformed: boolean
}

/** A hook's entry in `hook_results`. */
export interface HookResult {
  id: string
  verdict: boolean
  deny: boolean
  async: boolean
  type: 'guardrail' | 'mutator'
  /** Milliseconds. */
  execution_time: number
  transformed: boolean
  feedback: Feedback | null
  checks: CheckResult[]
}

export const phaseName: Record<Phase, string> = { before: 'before-request', after: 'after-request' }
