/**
 * Hosts to which a token of the gateway's own Azure identity may be sent: the vendor's AI services, in the public and
 * the sovereign clouds.
 * Reference: https://learn.microsoft.com/azure/ai-services/cognitive-services-virtual-networks
 */
import type { OwnIdentity } from '@gateway/contract'
import { configuredText } from './settings.ts'

/** Modes whose tokens belong to the machine itself; an application (`entra`) and an API key have their own secret. */
const ownModes: ReadonlySet<string> = new Set(['managed', 'workload', 'entraFederated'])

export const ownIdentity: OwnIdentity = {
  isLent: (settings) => ownModes.has(configuredText(settings, 'azure_auth_mode') ?? 'default'),
  hosts:
    /^(?:[a-z0-9-]+\.){1,3}(?:openai\.azure|cognitiveservices\.azure|services\.ai\.azure|models\.ai\.azure|inference\.ai\.azure|inference\.ml\.azure)\.(?:com|us|cn)$/,
}
