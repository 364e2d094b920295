/** The Gemini API's notes on the generated page. */
import type { ProviderNotes } from '@gateway/contract'

export const notes: ProviderNotes = {
  remarks: [
    'The key travels in the `x-goog-api-key` header, as the vendor documents it, and never in a URL.',
    "A tool call carries its thought signature in `extra_content.google.thought_signature`, as on the vendor's own compatible endpoint; send it back with the call. Calls without one get the word that the vendor gives for conversations of other models.",
    '`reasoning_effort` becomes a thinking budget (2.5) or level (3 and later): `minimal` and `low` are 1024 tokens, `medium` 8192, `high` 24576. `none` is the least that the model can think. Models that do not think get none of it.',
    '`thinking` needs `strict_compat_compliance: false`; a budget is brought into the range of the model. Thoughts then come back in `content_blocks`.',
    'Public https URLs of images and files pass to the vendor when their name tells a type; others are fetched and sent as bytes. `mime_type` beside a URL tells its type. `gs://`, YouTube and Files API URIs pass as they are.',
    '`presence_penalty` and `frequency_penalty` are sent only to models before 2.5, which are the only ones that take them.',
    '`temperature` above 2 is brought to 2, a `seed` into 32 bits. Models from 3.6 on ignore `temperature`, `top_p` and `top_k`.',
    '`n` above 1 is sent as it is; models from version 3 on refuse it.',
    'JSON Schema passes as `parametersJsonSchema` and `responseJsonSchema`; constraints that the vendor does not know are told in the description.',
    'A function with `strict: true` asks for validated calls (mode `VALIDATED`).',
    '`web_search_options` turns on grounding with Google Search; its sources come back as `annotations`.',
    '`safety_settings`, `cached_content` and `labels` pass as they are.',
  ],
  drops: {
    chatComplete: ['logit_bias', 'user', 'parallel_tool_calls', 'metadata', 'store', 'prediction'],
    embed: ['user'],
  },
  credentials: ['api_key'],
  example: { provider: 'google', api_key: 'YOUR_API_KEY' },
}
