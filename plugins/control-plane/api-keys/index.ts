/** API keys: their secrets, rights, rotation and expiry. Other folders import only this file. */
import { defineSubject } from '../engine/index.ts'
import { apiKeys } from './resource.ts'
import { apiKeyRoutes } from './routes.ts'
import { createKeyWorker } from './worker.ts'

export { autoKeysFor, autoKeyWrites, type Joining, madeKey } from './auto.ts'
export { endKeysOfUsers, endUserKeys } from './end.ts'
export { enforceRotation } from './enforce.ts'
export { presentKey } from './present.ts'
export { apiKeys } from './resource.ts'
export { checkGrant, readScopes } from './scopes.ts'

export const apiKeySubject = defineSubject({
  needs: ['counters', 'isAddressRange', 'keyPrefix'],
  resources: [apiKeys],
  routes: [apiKeyRoutes],
  jobs: [createKeyWorker],
})
