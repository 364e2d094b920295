/** Rerank: scores a document by the share of the query's words that it contains. */
import { isObject, type JsonObject, type ProcedureAnswer, type ProcedureContext } from '@gateway/contract'
import { firstNumber } from './text.ts'

export async function rerank(body: JsonObject, context: ProcedureContext): Promise<ProcedureAnswer> {
  const documents = Array.isArray(body.documents) ? body.documents : []
  const wanted = [...new Set(wordsOf(String(body.query ?? '')))]
  const results = documents
    .map((document, index) => {
      const text = isObject(document) ? String(document.text ?? '') : String(document)
      const held = new Set(wordsOf(text))
      const share = wanted.length === 0 ? 0 : wanted.filter((word) => held.has(word)).length / wanted.length
      const echoed = body.return_documents === true ? { document: { text } } : {}
      return { index, relevance_score: share, ...echoed }
    })
    .sort((left, right) => right.relevance_score - left.relevance_score || left.index - right.index)
    .slice(0, firstNumber(body.top_n) ?? documents.length)
  const head = { object: 'list', id: context.id('rerank-'), model: body.model ?? null, provider: 'echo' }
  return { status: 200, headers: {}, body: { ...head, results, usage: { search_units: 1 } }, stream: null }
}

const wordsOf = (text: string): string[] => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []
