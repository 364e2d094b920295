/** The Gemini API's notes on the generated page. */
import type { ProviderNotes } from '@gateway/contract'

export const notes: ProviderNotes = {
  remarks: [
    'The key is sent in the `x-goog-api-key` header, as the vendor documents it, and never in a URL.',
    'Calls in the Gemini format (`generateContent`, `countTokens`, `embedContent`, `batchEmbedContents`) are forwarded unchanged.',
    "The thought signature of a tool call is in `extra_content.google.thought_signature`, as on the vendor's own compatible endpoint; send it back with the call. Calls without one get the placeholder that the vendor documents for conversations of other models.",
    '`reasoning_effort` becomes a thinking budget (2.5) or level (3 and later): `minimal` and `low` are 1024 tokens, `medium` 8192, `high` 24576. `none` is the minimum of the model. Models without thinking ignore it.',
    '`thinking` needs `strict_compat_compliance: false`; a budget is clamped to the range of the model. Thoughts are returned in `content_blocks`.',
    'Public https URLs of images and files with a known extension are forwarded to the vendor; others are fetched and sent as bytes. `mime_type` next to a URL sets its type. `gs://`, YouTube and Files API URIs are forwarded unchanged.',
    '`presence_penalty` and `frequency_penalty` are only sent to models before 2.5; later ones do not support them.',
    '`temperature` above 2 becomes 2, and a `seed` is limited to 32 bits. Models from 3.6 on ignore `temperature`, `top_p` and `top_k`.',
    '`n` above 1 is forwarded; models from version 3 on refuse it.',
    'JSON Schemas are sent as `parametersJsonSchema` and `responseJsonSchema`; unsupported constraints are written into the description.',
    'Models before version 3 refuse JSON output together with tools: then `response_format` is requested in the system instruction, and the schema is not enforced.',
    'A function with `strict: true` requests validated calls (mode `VALIDATED`).',
    '`web_search_options` turns on grounding with Google Search; its sources are returned as `annotations`.',
    '`safety_settings`, `cached_content` and `labels` are forwarded unchanged.',
  ],
  drops: {
    chatComplete: ['logit_bias', 'user', 'parallel_tool_calls', 'metadata', 'store', 'prediction'],
    embed: ['user'],
  },
  credentials: ['api_key'],
  example: { provider: 'google', api_key: 'YOUR_API_KEY' },
}
