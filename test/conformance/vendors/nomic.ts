/** Nomic. Source: https://docs.nomic.ai/reference/api/embed-text-v-1-embedding-text-post */
import { jsonAnswer, member, textsIn, type Vendor } from './vendor.ts'

export const nomic: Vendor = {
  dialects: ['nomic-embedding'],
  whole: (said) =>
    jsonAnswer({
      embeddings: said.vectors,
      usage: { prompt_tokens: said.usage.prompt, total_tokens: said.usage.prompt },
      model: 'test-model',
    }),
  error: (status, message) => jsonAnswer({ detail: message }, status),
  heard: ({ request }) => ({ texts: textsIn(member(request.json, 'texts')) }),
}
