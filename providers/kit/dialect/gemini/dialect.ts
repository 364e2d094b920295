/**
 * The Gemini format (`generateContent`), for the Gemini API and for the cloud that serves the same models.
 * Reference: https://ai.google.dev/api/generate-content
 */
import type { Dialect } from '@gateway/contract'
import { withCustomTools } from '../../chat/custom-tools.ts'
import { geminiAnswer } from './answer.ts'
import { geminiError } from './errors.ts'
import { geminiRequest } from './request.ts'
import { geminiStream } from './stream.ts'

export const geminiDialect: Dialect = withCustomTools({
  name: 'gemini-generate-content',
  parameters: ['top_k', 'thinking', 'service_tier'],
  request: geminiRequest,
  answer: geminiAnswer,
  stream: geminiStream,
  error: geminiError,
})
