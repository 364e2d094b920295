/**
 * The Responses format, in which callers can use every provider. The gateway discovers this declaration of its
 * endpoints.
 */
import type { DialectPlugin } from '@gateway/contract/dialect'
import { compactResponse } from './compact.ts'
import { createResponse } from './create.ts'
import { deleteResponse } from './delete.ts'
import { getResponse } from './get.ts'
import { responseInputTokens } from './input-tokens.ts'
import { listInputItems } from './list-input-items.ts'

const plugin: DialectPlugin = {
  name: 'dialect-responses',
  title: 'Responses format',
  endpoints: [
    createResponse,
    responseInputTokens,
    compactResponse,
    getResponse,
    deleteResponse,
    listInputItems,
  ],
}

export default plugin
