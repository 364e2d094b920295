/** Azure OpenAI, Azure AI Foundry, GitHub Models. */
import type { ProviderAdapter } from '@gateway/core/contract'

const adapters: readonly ProviderAdapter[] = []

export default adapters
