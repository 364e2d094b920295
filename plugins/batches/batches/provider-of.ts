/** Determines how a provider runs a batch, and whether it can. */
import { type EndpointTarget, GatewayError, type ServiceContext } from '@gateway/contract'
import type { ProviderBatch } from '../shared/entities.ts'
import { invalidBody } from '../shared/faults.ts'
import type { BatchBody } from './make-batch.ts'

/** Errors: 400 `unsupported_endpoint` for a provider without batches of this kind. */
export function providerOf(target: EndpointTarget, body: BatchBody): ProviderBatch {
  const format = formatOf(target, body.endpoint)
  if (format === null) throw noBatches(target.provider, body.endpoint)
  return atProvider(target, format, body)
}

export function formatOf(target: EndpointTarget, endpoint: string): ProviderBatch['format'] | null {
  if (target.has('createFile') && target.has('createBatch')) return 'file'
  return target.has('createMessageBatch') && endpoint === '/v1/chat/completions' ? 'messages' : null
}

export const atProvider = (
  { provider: name, slug }: EndpointTarget,
  format: ProviderBatch['format'],
  { provider_options: options }: BatchBody,
): ProviderBatch => ({
  name,
  slug,
  format,
  file_id: null,
  batch_id: null,
  options: options ?? null,
  details: null,
  isPrepared: false,
  isWatched: false,
  hold: null,
})

/**
 * Errors: 400 `unsupported_endpoint` for an endpoint without batches at the provider, `invalid_body` at an option that
 * it requires.
 */
export function checkLinesOf(
  { batchLinesOf }: ServiceContext<'batchLinesOf'>,
  { provider }: EndpointTarget,
  { provider_options: options, endpoint }: BatchBody,
): void {
  const lines = batchLinesOf(provider)
  if (lines?.paths?.includes(endpoint) === false) throw noBatches(provider, endpoint)
  const missing = lines?.requiredOptions?.find((name) => typeof options?.[name] !== 'string')
  if (missing !== undefined)
    throw invalidBody(`/provider_options/${missing}`, `is required by the provider ${provider}`)
}

const noBatches = (provider: string, endpoint: string) =>
  new GatewayError(
    'unsupported_endpoint',
    `The provider ${provider} does not support batches for ${endpoint}. Set completion_window to immediate, which works with every provider.`,
  )
