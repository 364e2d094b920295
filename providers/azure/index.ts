/** Azure OpenAI, Azure AI Foundry, GitHub Models. */
import type { ProviderAdapter } from '@gateway/contract'
import { azureAi } from './foundry.ts'
import { github } from './github.ts'
import { azureOpenai } from './openai.ts'

const adapters: readonly ProviderAdapter[] = [azureOpenai, azureAi, github]

export default adapters
