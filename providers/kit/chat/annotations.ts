/**
 * Web citations as annotations.
 * Reference: https://platform.openai.com/docs/api-reference/chat/object
 */
import type { JsonObject } from '@gateway/contract'

export interface UrlCitation {
  url: string
  title: string
  /** Start and end of the supported passage in the whole text, in characters. */
  start: number
  end: number
}

/** An item of a message's `annotations`. */
export const urlCitation = ({ url, title, start, end }: UrlCitation): JsonObject => ({
  type: 'url_citation',
  url_citation: { start_index: start, end_index: end, url, title },
})
