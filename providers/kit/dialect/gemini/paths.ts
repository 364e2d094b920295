/** Actions of the API, which follow the model in a path: `{model}:{action}`. */
import type { JsonObject } from '@gateway/contract'

/** The methods of generating models: plain answers, or streams of server-sent events. */
export function generateAction(body: JsonObject): string {
  return body.stream === true ? 'streamGenerateContent?alt=sse' : 'generateContent'
}
