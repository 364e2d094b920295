/** Vertex AI's notes on the generated page. */
import type { ProviderNotes } from '@gateway/contract'

export const notes: ProviderNotes = {
  remarks: [
    'Calls in the Gemini format (`generateContent`, `countTokens`) are forwarded to Gemini models unchanged, and translated for other models. `embedContent` is forwarded to models that have it; `taskType` is left out for others.',
    "A model is written `publisher/model` (`anthropic/claude-sonnet-5-5`, `meta/llama-3.3-70b-instruct-maas`, `mistralai/mistral-medium-3`); a plain name is Google's (`gemini-2.5-pro`), except names that begin with `claude-` or `mistral-`. `anthropic.`, `meta.`, `mistralai.`, `google.` and `endpoints.` with a dot mean the same.",
    '`endpoints/ID` is a model deployed in the project with the compatible format; `google/endpoints/ID` is a tuned Gemini.',
    '`cloudC_region` is a region, `us` or `eu`, or `global`. `cloudC_project_id` is optional with a service account, which contains its project.',
    "Without a service account `api_key` is sent as a bearer token. A `token_uri` that is not the vendor's own must be in `security.trusted_hosts`.",
    'A stored credential with `vertex_auth_type` `basic` or `workload` uses the identity of the process: the file in `GOOGLE_APPLICATION_CREDENTIALS` (a service account, or federation with a token from a file or a URL), otherwise the metadata server.',
    'The gateway’s own identity is only sent to the vendor’s hosts and to `security.trusted_hosts`; with another `custom_host` a stored credential needs its own secret.',
    'Gemini models behave as they do for `google`.',
    'For Claude models images and files by URL are fetched and sent as bytes; `/v1/messages` and its token count are forwarded.',
    'Gemini embedding models accept one text per call: several texts need several calls.',
    'Images are returned as `b64_json`. Gemini models generate one per call; `size` becomes the nearest aspect ratio, `quality: hd` requests 2K.',
  ],
  drops: {
    chatComplete: ['logit_bias', 'user', 'parallel_tool_calls', 'metadata', 'store', 'prediction'],
    embed: ['user'],
    imageGenerate: ['style', 'user', 'response_format'],
  },
  credentials: ['cloudC_service_account_json', 'api_key', 'configurations.vertex_auth_type'],
  example: {
    provider: 'vertex-ai',
    cloudC_region: 'us-central1',
    cloudC_project_id: 'my-project',
    api_key: 'YOUR_ACCESS_TOKEN',
  },
}
