/** Defines how requests continue stored responses, and which answers are stored. */
import type { JsonObject } from '@gateway/contract'
import type { KeptAnswers, ResponseState } from '@gateway/contract/dialect'
import { sealSummaries } from './compaction.ts'
import { inputItems, keptItems } from './kept-items.ts'
import { portableResponse } from './portable.ts'
import { recall } from './recall.ts'
import { sealEvents } from './seal-events.ts'

/** For requests whose answers are not stored: token counts and compactions. */
export const recalledResponses: ResponseState = { recall, seal: sealSummaries, sealEvents, keeps: null }

const keeps: KeptAnswers = {
  endings: ['response.completed', 'response.incomplete'],
  beginnings: ['response.created', 'response.queued'],
  translated: (response, { input }) => ({ response, items: keptItems(input, String(response.id)) }),
  portable: (response: JsonObject, { input }) => ({
    response: portableResponse(response),
    items: inputItems(input),
  }),
}

/** For create requests. */
export const createdResponses: ResponseState = { ...recalledResponses, keeps }
