/**
 * Moderation in the compatible format, forwarded unchanged.
 * Reference: https://platform.openai.com/docs/api-reference/moderations
 */
import type { Dialect, HttpEndpoint } from '@gateway/contract'
import { compatibleError } from './errors.ts'
import { type BodyRules, reshape } from './reshape.ts'

function moderationDialect(rules: BodyRules = {}): Dialect {
  return {
    name: 'compatible-moderation',
    request: (body) => reshape(body, rules),
    answer: (body) => body,
    error: compatibleError,
  }
}

export const moderationEndpoint: HttpEndpoint = {
  kind: 'http',
  method: 'POST',
  path: '/moderations',
  dialect: moderationDialect(),
}
