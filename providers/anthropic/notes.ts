/** Anthropic's notes on the generated page. */
import type { ProviderNotes } from '@gateway/contract'

export const notes: ProviderNotes = {
  remarks: [
    '`/v1/messages` and `/v1/messages/count_tokens` are forwarded unchanged, with the caller’s `anthropic-version` and `anthropic-beta` headers.',
    'For chat completions, beta features need `anthropic-beta` in `forward_headers`.',
    'The vendor requires `max_completion_tokens` (or `max_tokens`); the default is 16384, and less for old models.',
    '`temperature` above 1 becomes 1. Models from 4.1 on accept `temperature` or `top_p`: the one that differs from 1 is sent, or `temperature` if both do. Models from 4.7 on, and answers with thinking, get no sampling parameters.',
    '`reasoning_effort` becomes the vendor’s effort (`minimal` becomes `low`) for Opus 4.5 and models from 4.6 on; values above `high` need a model from 4.7 on. Other models get none.',
    '`thinking` needs `strict_compat_compliance: false`; its blocks are returned in `content_blocks`; send them back with the next request. Thinking cannot be disabled for a model that always thinks.',
    'The vendor’s explanation of a refusal is returned as `refusal`.',
    '`web_search_options` turns on the vendor’s web search; its sources are returned as `annotations`.',
    '`response_format` of type `json_schema` becomes a structured output: objects are closed, and constraints that the vendor cannot enforce are written into the description. `json_object`, and a schema for models before 4.1, become an instruction in the system prompt.',
    'Files by URL (`file_url`) are forwarded as URLs. Blank texts are dropped, as is trailing white space of a prefilled answer.',
    '`n` above 1, audio and tools that are not functions are refused.',
    '`cache_control` on messages, parts and tools is kept. With `prompt_cache: "auto"` the gateway sets it for requests without any.',
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
