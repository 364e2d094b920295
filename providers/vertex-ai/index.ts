/** Google Vertex AI. */
import type { ProviderAdapter } from '@gateway/core/contract'

const adapters: readonly ProviderAdapter[] = []

export default adapters
