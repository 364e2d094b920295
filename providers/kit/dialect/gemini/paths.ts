/** Actions of the API, which stand in its paths behind the model: `{model}:{action}`. */
import type { JsonObject } from '@gateway/contract'

/** What is asked of a model that generates: all at once, or as a stream of server-sent events. */
export function generateAction(body: JsonObject): string {
  return body.stream === true ? 'streamGenerateContent?alt=sse' : 'generateContent'
}
