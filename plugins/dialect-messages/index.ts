/**
 * The Messages format, in which callers can use every provider. The gateway discovers this declaration of its
 * endpoints.
 */
import type { DialectPlugin } from '@gateway/contract/dialect'
import { batches } from './batches.ts'
import { countTokens } from './count-tokens.ts'
import { messages } from './messages.ts'

const plugin: DialectPlugin = {
  name: 'dialect-messages',
  title: 'Messages format',
  endpoints: [messages, countTokens, ...batches],
}

export default plugin
