/** The provider's notes on the generated page. */
import type { ProviderNotes } from '@gateway/contract'

export const notes: ProviderNotes = {
  remarks: [
    '`model` is a model id, an inference profile’s id or an ARN. The region is the first that is set of `cloudA_region`, `configurations.aws_region` and `AWS_REGION` of the environment, otherwise `us-east-1`.',
    'Credentials: `cloudA_access_key_id`, `cloudA_secret_access_key` and `cloudA_session_token`; `api_key` alone is a Bedrock API key. A stored credential’s `configurations.aws_auth_type` may also be `assumedRole` (an STS call with its access key, else with the gateway’s own identity) or `serviceRole` (the gateway’s own identity: environment, web identity, container or machine).',
    'The gateway’s own identity is only sent to the vendor’s hosts and to `security.trusted_hosts`; with another `custom_host` a stored credential needs its own secret.',
    '`custom_host` replaces the inference, agent and control services, without a version.',
    '`temperature` is clamped to 0…1. Anthropic models get only the sampling parameters that they accept, as for `anthropic`.',
    '`n` above 1, audio output and `web_search_options` are refused.',
    'With `tool_choice: none` no tools are sent. The API accepts tool calls and results only together with tools; without tools they are sent as text.',
    '`parallel_tool_calls: false` is supported by Anthropic models since 4.5, `strict` tools by models with structured outputs.',
    '`response_format: json_schema` becomes `outputConfig.textFormat` for models with structured outputs, otherwise a forced tool call (Anthropic and Nova models, unless the request has tools), otherwise an instruction; `json_object` is always an instruction.',
    '`reasoning_effort` is sent to Anthropic models from Opus 4.5 and 4.6 on, to Nova 2 and to OpenAI models; `thinking` (with `strict_compat_compliance: false`) to Anthropic models and Nova 2.',
    '`cache_control` on a part or a tool becomes a `cachePoint`; with `prompt_cache: "auto"` the gateway sets cache points for requests without any. Files can be in S3 (`s3://…`); http(s) URLs are fetched and inlined. Characters that the API does not allow in document names are replaced.',
    '`additionalModelRequestFields`, `additionalModelResponseFieldPaths`, `guardrailConfig`, `performanceConfig`, `promptVariables`, `requestMetadata`, `serviceTier` and `outputConfig` are forwarded unchanged. The trace and the metrics of an answer are returned with `strict_compat_compliance: false`, in a stream with its usage.',
    'Embeddings: Titan and Nova accept one text per call (up to eight calls in parallel), Cohere 96; `input_type`, `truncate`, `normalize`, `embeddingPurpose` and `truncationMode` are forwarded.',
    'Images: Titan Image and Nova Canvas (`quality: hd` is `premium`), Stable Image Core and Ultra and Stable Diffusion 3 (`size` becomes the nearest `aspect_ratio`); `negative_prompt`, `cfg_scale` and `seed` are forwarded.',
    'Completions: Meta’s Llama, Mistral 7B, Mixtral, Mistral Small and Large (24.02) and DeepSeek R1, in the model’s own prompt format.',
    'Rerank: a model’s id becomes its ARN; `max_tokens_per_document` is sent to Cohere models.',
  ],
  drops: {
    chatComplete: [
      'seed',
      'logit_bias',
      'logprobs',
      'top_logprobs',
      'frequency_penalty',
      'presence_penalty',
      'user',
      'metadata',
      'store',
      'prediction',
    ],
    complete: ['best_of', 'frequency_penalty', 'logit_bias', 'logprobs', 'presence_penalty', 'seed', 'user'],
    embed: ['user'],
    imageGenerate: ['style', 'user', 'background', 'moderation'],
    rerank: ['priority', 'truncation'],
  },
  credentials: ['cloudA_access_key_id + cloudA_secret_access_key', 'api_key', 'configurations.aws_auth_type'],
  example: {
    provider: 'bedrock',
    cloudA_access_key_id: `\${AWS_ACCESS_KEY_ID}`,
    cloudA_secret_access_key: `\${AWS_SECRET_ACCESS_KEY}`,
    cloudA_region: 'eu-central-1',
  },
}
