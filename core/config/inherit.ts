/** Inheritance: one rule per key (contract section 4). */

import type { Config } from '@gateway/config-file'
import type { CustomHost, Retry, StreamClocks } from '@gateway/flow'

/** Keys that a node inherits from its parent unless it sets them; each is replaced as a whole. */
export interface Inherited {
  retry: Retry | null
  breaker: Config['cb_config'] | null
  requestTimeoutMs: number | null
  streamClocks: StreamClocks | null
  forwardHeaders: readonly string[]
  customHost: CustomHost | null
  strict: boolean | null
  marksPrompt: boolean
  outputGuardrails: { items: Config['output_guardrails']; param: string } | null
  afterHooks: { items: Config['after_request_hooks']; param: string } | null
  /** Whether hooks run on the request. */
  isChecked: boolean
  /** `override_params` is merged downwards; only its model matters here. */
  model: unknown
}

export const nothing: Inherited = {
  retry: null,
  breaker: null,
  requestTimeoutMs: null,
  streamClocks: null,
  forwardHeaders: [],
  customHost: null,
  strict: null,
  marksPrompt: false,
  outputGuardrails: null,
  afterHooks: null,
  isChecked: false,
  model: undefined,
}

const defaultRetryCodes = [429, 500, 502, 503, 504, 529]

/** A node's own keys, with the parent's as defaults. */
export function inherit(config: Config, parent: Inherited, param: string): Inherited {
  const overriddenModel = config.override_params?.model
  return {
    retry: config.retry === undefined ? parent.retry : compileRetry(config.retry),
    breaker: config.cb_config ?? parent.breaker,
    requestTimeoutMs: config.request_timeout ?? parent.requestTimeoutMs,
    streamClocks: inheritClocks(config, parent.streamClocks),
    forwardHeaders: config.forward_headers?.map((name) => name.toLowerCase()) ?? parent.forwardHeaders,
    customHost:
      config.custom_host === undefined
        ? parent.customHost
        : { url: config.custom_host, param: `${param}/custom_host` },
    strict: config.strict_compat_compliance ?? parent.strict,
    marksPrompt: config.prompt_cache === undefined ? parent.marksPrompt : config.prompt_cache === 'auto',
    outputGuardrails:
      config.output_guardrails === undefined
        ? parent.outputGuardrails
        : { items: config.output_guardrails, param: `${param}/output_guardrails` },
    afterHooks:
      config.after_request_hooks === undefined
        ? parent.afterHooks
        : { items: config.after_request_hooks, param: `${param}/after_request_hooks` },
    isChecked:
      parent.isChecked ||
      (config.before_request_hooks?.length ?? 0) + (config.input_guardrails?.length ?? 0) > 0,
    model: overriddenModel ?? parent.model,
  }
}

/** Each timeout replaces the inherited one. */
function inheritClocks(config: Config, parent: StreamClocks | null): StreamClocks | null {
  const { first_token_timeout, stream_idle_timeout, stream_total_timeout } = config
  if ((first_token_timeout ?? stream_idle_timeout ?? stream_total_timeout) === undefined) return parent
  return {
    firstTokenMs: first_token_timeout ?? parent?.firstTokenMs ?? null,
    idleMs: stream_idle_timeout ?? parent?.idleMs ?? null,
    totalMs: stream_total_timeout ?? parent?.totalMs ?? null,
  }
}

function compileRetry(retry: NonNullable<Config['retry']>): Retry {
  return {
    attempts: retry.attempts,
    onStatusCodes: retry.on_status_codes ?? defaultRetryCodes,
    useRetryAfterHeaders: retry.use_retry_after_headers ?? retry.use_retry_after_header ?? false,
  }
}
