/** Anthropic's notes on the generated page. */
import type { ProviderNotes } from '@gateway/contract'

export const notes: ProviderNotes = {
  remarks: [
    '`/v1/messages` and `/v1/messages/count_tokens` pass through as they are, with the `anthropic-version` and `anthropic-beta` headers of the caller.',
    'For chat completions, beta features need `anthropic-beta` in `forward_headers`.',
    '`max_completion_tokens` (or `max_tokens`) is required by the vendor; without it 16384 are asked for, and less of old models.',
    '`temperature` above 1 is brought to 1. Models from 4.1 on take `temperature` or `top_p`: the one that differs from 1 is sent, of two the `temperature`. Models from 4.7 on, and answers with thinking, get no sampling parameters.',
    '`reasoning_effort` is the vendor’s effort (`minimal` is `low`) for Opus 4.5 and the models from 4.6 on; above `high` it needs a model from 4.7 on. Other models get none.',
    '`thinking` needs `strict_compat_compliance: false`; its blocks then come back in `content_blocks`, to be sent back with the next request. A model that always thinks is not told to stop.',
    'Where the vendor explains a refusal, the explanation comes back as `refusal`.',
    '`web_search_options` is the vendor’s web search; its sources come back as `annotations`.',
    '`response_format` of type `json_schema` is a structured output: objects are closed, and constraints that the vendor cannot enforce are told in the description. `json_object`, and a schema for models before 4.1, is asked for in the system prompt.',
    'Files by URL (`file_url`) pass as URLs. Blank texts are left out, as is white space at the end of an answer that the caller begins.',
    '`n` above 1, audio and tools that are no functions are refused.',
    '`cache_control` on messages, parts and tools is kept.',
  ],
  drops: {
    chatComplete: [
      'seed',
      'logit_bias',
      'logprobs',
      'top_logprobs',
      'presence_penalty',
      'frequency_penalty',
      'prediction',
      'store',
    ],
  },
}
