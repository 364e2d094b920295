/** Providers of workspaces, also as virtual keys. Other folders import only this file. */
import { defineSubject } from '../engine/index.ts'
import { createProviderExpiry } from './expiry.ts'
import { providers } from './resource.ts'
import { virtualKeys } from './virtual-keys.ts'

export const providerSubject = defineSubject({
  needs: ['checkCredential', 'counters', 'providers'],
  resources: [providers, virtualKeys],
  jobs: [createProviderExpiry],
})
