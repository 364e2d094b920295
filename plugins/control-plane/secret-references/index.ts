/** References to secrets in a secret manager. Other folders import only this file. */
import type { Subject } from '../engine/index.ts'
import { secretReferences } from './resource.ts'

export const secretReferenceSubject: Subject = { resources: [secretReferences] }
