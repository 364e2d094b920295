/**
 * Reason phrases of the gateway's own statuses. Node writes `unknown` for a status without a phrase in its
 * table, which is public but not meant to be changed: https://nodejs.org/api/http.html#httpstatus_codes
 */
import { STATUS_CODES } from 'node:http'

const phrases = { 246: 'Guardrail Failed', 446: 'Guardrail Denied' }

export function addStatusPhrases(): void {
  Object.assign(STATUS_CODES, phrases)
}
