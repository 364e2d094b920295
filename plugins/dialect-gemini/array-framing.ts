/**
 * `streamGenerateContent` without `alt=sse`: the events of a stream as the items of one JSON array.
 * Reference: https://ai.google.dev/api/generate-content
 */
import type { StreamFraming } from '@gateway/contract/dialect'

export const arrayFraming: StreamFraming = {
  contentType: 'application/json',
  open() {
    let count = 0
    return {
      item: (data) => (count++ === 0 ? '[' : ',\r\n') + data,
      end: () => (count === 0 ? '[]' : ']'),
    }
  },
}
