/**
 * The service's events: one `data:` line each. Between two of them there may be one line end only, where the format
 * of server-sent events wants an empty line, so every line counts for itself.
 */
import type { StreamEvent } from '@gateway/contract'
import { jsonLines } from '@gateway/provider-kit'

const field = 'data:'

/** The data of every `data:` line. */
export async function* dataLines(bytes: AsyncIterable<Buffer>): AsyncGenerator<StreamEvent, void, undefined> {
  for await (const { data } of jsonLines(bytes)) {
    if (data.startsWith(field)) yield { event: null, data: data.slice(field.length).trim() }
  }
}
