/**
 * `GET /v1/responses/{id}/input_items`. Errors: 400 `invalid_query`; 404 `not_found`, also for other workspaces'
 * responses.
 */
import type { DialectEndpoint, StoredResponseQuery } from '@gateway/contract/dialect'
import { itemListAnswer, itemsQuery } from './bodies.ts'
import { keptResponseFormat } from './format.ts'
import { pageOf } from './list-items.ts'
import { readItemsQuery } from './query.ts'
import { readItemList } from './texts.ts'

export const listInputItems: DialectEndpoint = {
  id: 'listResponseInputItems',
  format: keptResponseFormat,
  isMetered: false,
  answerTexts: readItemList,
  routes: [
    {
      serves: 'stored-response',
      path: '/v1/responses/:id/input_items',
      operationId: 'listResponseInputItems',
      summary: 'Lists the input items of a response',
      tag: 'Responses',
      query: itemsQuery,
      answer: itemListAnswer,
      read,
    },
  ],
}

function read(written: URLSearchParams): StoredResponseQuery {
  const query = readItemsQuery(written)
  return { members: { ...query }, render: ({ items }) => ({ body: pageOf(items, query) }) }
}
