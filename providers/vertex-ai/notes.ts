/** Vertex AI's notes on the generated page. */
import type { ProviderNotes } from '@gateway/contract'

export const notes: ProviderNotes = {
  remarks: [
    "A model is written `publisher/model` (`anthropic/claude-sonnet-5-5`, `meta/llama-3.3-70b-instruct-maas`, `mistralai/mistral-medium-3`); a bare name is Google's (`gemini-2.5-pro`), save names that begin with `claude-` or `mistral-`. `anthropic.`, `meta.`, `mistralai.`, `google.` and `endpoints.` with a dot mean the same.",
    '`endpoints/ID` is a model that the project deployed and that speaks the compatible format; `google/endpoints/ID` is a tuned Gemini.',
    '`cloudC_region` is a region, `us` or `eu`, or `global`. `cloudC_project_id` may be left out where the service account names its project.',
    "Without a service account `api_key` is sent as a bearer token. A `token_uri` that is not the vendor's own must be in `security.trusted_hosts`.",
    'A stored credential with `vertex_auth_type` `basic` or `workload` uses the identity of the process: the file that `GOOGLE_APPLICATION_CREDENTIALS` names (a service account, or federation with a token from a file or a URL), else the metadata server.',
    'The gateway’s own identity is sent to the vendor’s own hosts and to `security.trusted_hosts` only; with another `custom_host` a stored credential needs a secret of its own.',
    'Gemini models behave as they do for `google`.',
    'For Claude models images and files by URL are fetched and sent as bytes; `/v1/messages` and its token count pass through.',
    'Gemini embedding models take one text a call: several texts are several calls.',
    'Images come back as `b64_json`. Gemini models generate one a call; `size` is brought to the nearest aspect ratio, `quality: hd` asks for 2K.',
  ],
  drops: {
    chatComplete: ['logit_bias', 'user', 'parallel_tool_calls', 'metadata', 'store', 'prediction'],
    embed: ['user'],
    imageGenerate: ['style', 'user', 'response_format'],
  },
  credentials: ['cloudC_service_account_json', 'api_key'],
  example: {
    provider: 'vertex-ai',
    cloudC_region: 'us-central1',
    cloudC_project_id: 'my-project',
    api_key: 'YOUR_ACCESS_TOKEN',
  },
}
