/** `POST /v1/rerank`. */
import { addText, addTexts } from '@gateway/contract/dialect'
import { rankingAnswer, rerankRequest } from '@gateway/contract/wire'
import { declareInference } from './declare-endpoint.ts'

export const rerank = declareInference({
  id: 'rerank',
  path: '/v1/rerank',
  summary: 'Ranks documents by relevance to a query',
  example: { query: 'gateway', documents: ['a front door', 'a lighthouse'] },
  tag: 'Rerank',
  request: rerankRequest,
  answer: rankingAnswer,
  // Priced by searches, which bodies do not report.
  isEstimatePriced: false,
  requestTexts(body, parts) {
    addText(body.query, { role: 'query', path: '/query', parts })
    addTexts(body.documents, { role: 'document', path: '/documents', parts })
  },
})
