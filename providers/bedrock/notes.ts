/** The provider's notes on the generated page. */
import type { ProviderNotes } from '@gateway/contract'

export const notes: ProviderNotes = {
  remarks: [
    '`model` is a model id, an inference profile’s id or an ARN. The region is `cloudA_region`, else `configurations.aws_region`, else `AWS_REGION` of the environment, else `us-east-1`.',
    'Credentials: `cloudA_access_key_id`, `cloudA_secret_access_key` and `cloudA_session_token`; `api_key` alone is a Bedrock API key. A stored credential’s `configurations.aws_auth_type` may also be `assumedRole` (an STS call with its access key, else with the gateway’s own identity) or `serviceRole` (the gateway’s own identity: environment, web identity, container or machine).',
    'The gateway’s own identity is sent to the vendor’s own hosts and to `security.trusted_hosts` only; with another `custom_host` a stored credential needs a secret of its own.',
    '`custom_host` replaces the inference, agent and control services, without a version.',
    'Brought to its range: `temperature` to 0…1. Anthropic’s models get the sampling parameters that they take, as for `anthropic`.',
    '`n` above 1, audio as an answer and `web_search_options` are refused.',
    'A `tool_choice` of `none` sends no tools. The API takes tool calls and results only beside tools; without tools they travel as text.',
    '`parallel_tool_calls: false` is kept by Anthropic’s models since 4.5, `strict` tools by the models with structured outputs.',
    '`response_format: json_schema` is `outputConfig.textFormat` where the model has structured outputs, else a forced tool (Anthropic’s and Nova models, without tools of the caller’s own), else an instruction, as `json_object` always is.',
    '`reasoning_effort` goes to Anthropic’s models from Opus 4.5 and 4.6 on, to Nova 2 and to OpenAI’s models; `thinking` (with `strict_compat_compliance: false`) to Anthropic’s and Nova 2.',
    '`cache_control` on a part or a tool is a `cachePoint`. Files may stand in S3 (`s3://…`); http(s) URLs are fetched and inlined. Names of documents are brought to the API’s characters.',
    '`additionalModelRequestFields`, `additionalModelResponseFieldPaths`, `guardrailConfig`, `performanceConfig`, `promptVariables`, `requestMetadata`, `serviceTier` and `outputConfig` pass as they are. The trace and the metrics of an answer come with `strict_compat_compliance: false`, in a stream with its usage.',
    'Embeddings: Titan and Nova take one text a call (up to eight calls at a time), Cohere 96; `input_type`, `truncate`, `normalize`, `embeddingPurpose` and `truncationMode` pass.',
    'Images: Titan Image and Nova Canvas (`quality: hd` is `premium`), Stable Image Core and Ultra and Stable Diffusion 3 (`size` becomes the nearest `aspect_ratio`); `negative_prompt`, `cfg_scale` and `seed` pass.',
    'Completions: Meta’s Llama, Mistral 7B, Mixtral, Mistral Small and Large (24.02) and DeepSeek R1, in the model’s own prompt format.',
    'Rerank: a model’s id becomes its ARN; `max_tokens_per_document` goes to Cohere’s models.',
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
