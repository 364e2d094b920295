/** `POST /v1/completions`. */
import { addText, addTexts, eachObject } from '@gateway/contract/dialect'
import { completeRequest, textCompletionAnswer } from '@gateway/contract/wire'
import { declareInference } from './declare-endpoint.ts'
import { textCompletionChunk } from './stream-events.ts'

export const completions = declareInference({
  id: 'complete',
  isRepeatable: true,
  path: '/v1/completions',
  summary: 'Creates a text completion',
  description: 'Continues a text in the Completions format.',
  example: { prompt: 'hello' },
  tag: 'Completions',
  request: completeRequest,
  answer: textCompletionAnswer,
  answerList: { member: 'choices', isRequired: true },
  streams: true,
  event: textCompletionChunk,
  asksForUsage: true,
  promptMembers: { model: 'prompt' },
  requestTexts(body, parts) {
    addTexts(body.prompt, { role: 'prompt', path: '/prompt', parts })
    addText(body.suffix, { role: 'prompt', path: '/suffix', parts })
  },
  answerTexts: (body, parts) =>
    eachObject(body.choices, (choice, index) =>
      addText(choice.text, { role: 'assistant', path: `/choices/${index}/text`, parts }),
    ),
})
