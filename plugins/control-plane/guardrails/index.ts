/** Guardrails and their checks. Other folders import only this file. */
import { defineSubject } from '../engine/index.ts'
import { guardrails } from './resource.ts'

export const guardrailSubject = defineSubject({
  needs: ['checkGuardrail', 'checks'],
  resources: [guardrails],
})
