/** Integrations: credentials of providers, their models and prices, and which workspaces may use them. Other folders import only this file. */
import { defineSubject } from '../engine/index.ts'
import { aiProviderRoutes } from './ai-providers.ts'
import { pricingRoutes } from './model-pricing.ts'
import { integrations } from './resource.ts'

export { indexIntegration } from './attributes.ts'
export { renamedFaults, takeCredential } from './credential.ts'
export { fromOlderMembers, withAuthKind } from './credential-input.ts'
export {
  exceptionOf,
  findIntegration,
  isCovered,
  isUsableBy,
  knownMembers,
  shownConfigurations,
  summaryOf,
  usableBy,
} from './data.ts'
export { providerAttributes } from './default-provider.ts'
export { emptyIntegration } from './resource.ts'
export { mappingsAnswer, mappingsInput, readMappings } from './secret-mappings.ts'

export const integrationSubject = defineSubject({
  needs: ['checkCredential', 'checkUrl', 'counters', 'modelsOf', 'priceOf', 'providers', 'tryCredential'],
  resources: [integrations],
  routes: [pricingRoutes, aiProviderRoutes],
})
