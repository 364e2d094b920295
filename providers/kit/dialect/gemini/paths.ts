/** Actions of the API, which stand in its paths behind the model: `{model}:{action}`. */
import type { JsonObject } from '@gateway/contract'

/** The methods of generating models: whole answers, or streams of server-sent events. */
export function generateAction(body: JsonObject): string {
  return body.stream === true ? 'streamGenerateContent?alt=sse' : 'generateContent'
}
