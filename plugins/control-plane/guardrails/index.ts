/** Guardrails and their checks. Other rooms import this file alone. */
import type { Subject } from '../engine/index.ts'
import { guardrails } from './resource.ts'

export const guardrailSubject: Subject = { resources: [guardrails] }
