/**
 * The Gemini format, in which callers can use every provider. The gateway discovers this declaration of its endpoints.
 */
import type { DialectPlugin } from '@gateway/contract/dialect'
import { countContentTokens } from './count-tokens.ts'
import { batchEmbedContents, embedContent } from './embed-content.ts'
import { generateContent } from './generate-content.ts'
import { listContentModels } from './models.ts'

const plugin: DialectPlugin = {
  name: 'dialect-gemini',
  title: 'Gemini format',
  endpoints: [generateContent, countContentTokens, embedContent, batchEmbedContents, listContentModels],
}

export default plugin
