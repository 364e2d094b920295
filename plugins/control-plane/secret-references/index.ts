/** References to secrets in a secret manager. Other folders import only this file. */
import { defineSubject } from '../engine/index.ts'
import { secretReferences } from './resource.ts'

export const secretReferenceSubject = defineSubject({
  needs: ['checkUrl', 'fetch', 'isTrusted', 'secretManagers'],
  resources: [secretReferences],
})
