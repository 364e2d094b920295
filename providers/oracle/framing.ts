/**
 * The service's events: one `data:` line each. They can be separated by a single line break, where server-sent events
 * require an empty line, so every line is a complete event.
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
