/**
 * Parameters that OpenAI has added to its chat API and that few compatible providers define. A provider that supports
 * all of them uses this list; a provider that supports some lists those.
 * Reference: https://platform.openai.com/docs/api-reference/chat/create
 */
export const newerParameters = [
  'verbosity',
  'prompt_cache_key',
  'prompt_cache_retention',
  'safety_identifier',
  'service_tier',
] as const
