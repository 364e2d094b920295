/** Guardrails and their checks. Other folders import only this file. */
import type { Subject } from '../engine/index.ts'
import { guardrails } from './resource.ts'

export const guardrailSubject: Subject = { resources: [guardrails] }
