/** The answer of a guardrail that denied: 446, with the results beside the error. */

import { GatewayError, type Phase } from '@gateway/contract'
import { type Answer, faultAnswer } from '../flow/answer.ts'

export function denialError(phase: Phase): GatewayError {
  const subject = phase === 'before' ? 'request' : 'answer'
  return new GatewayError('guardrail_denied', `A guardrail denied the ${subject}; hook_results says which.`)
}

export function denialAnswer(phase: Phase, parts: Partial<Answer>): Answer {
  return faultAnswer(denialError(phase), parts)
}
