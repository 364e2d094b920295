/** References to secrets that a secret manager keeps. Other rooms import this file alone. */
import type { Subject } from '../engine/index.ts'
import { secretReferences } from './resource.ts'

export const secretReferenceSubject: Subject = { resources: [secretReferences] }
