/** What a credential of a provider holds beside its key; providers that are not named take a key and maybe a host. */

export interface CredentialField {
  name: string
  label: string
  hint?: string
  isJson?: boolean
}

const host: CredentialField = {
  name: 'custom_host',
  label: 'Custom host',
  hint: 'Only where the provider is served elsewhere, with its version: https://host/v1.',
}

const special: Readonly<Record<string, readonly CredentialField[]>> = {
  'azure-openai': [
    { name: 'azure_resource_name', label: 'Resource name' },
    {
      name: 'azure_deployment_config',
      label: 'Deployments',
      isJson: true,
      hint: '[{"azure_deployment_name": "…", "azure_api_version": "…", "azure_model_slug": "…", "is_default": true}]',
    },
  ],
  'azure-ai': [
    { name: 'azure_foundry_url', label: 'Foundry URL' },
    { name: 'azure_api_version', label: 'API version' },
  ],
  bedrock: [
    { name: 'aws_auth_type', label: 'Way to sign in', hint: 'accessKey, assumedRole, serviceRole or apiKey' },
    { name: 'aws_region', label: 'Region' },
    { name: 'aws_access_key_id', label: 'Access key id' },
    { name: 'aws_secret_access_key', label: 'Secret access key' },
    { name: 'aws_role_arn', label: 'Role ARN' },
  ],
  'vertex-ai': [
    { name: 'vertex_auth_type', label: 'Way to sign in', hint: 'basic, serviceAccount or workload' },
    { name: 'vertex_region', label: 'Region' },
    { name: 'vertex_project_id', label: 'Project id' },
    { name: 'vertex_service_account_json', label: 'Service account', isJson: true },
  ],
}

export const credentialFields = (provider: string): readonly CredentialField[] => [
  ...(Object.hasOwn(special, provider) ? (special[provider] ?? []) : []),
  host,
]

/** Names that the API takes; the ones that people ask for most come first. */
export const providerNames: readonly string[] = [
  'openai',
  'anthropic',
  'azure-openai',
  'bedrock',
  'google',
  'vertex-ai',
  'ai21',
  'azure-ai',
  'baseten',
  'cerebras',
  'cohere',
  'dashscope',
  'databricks',
  'deepinfra',
  'deepseek',
  'echo',
  'featherless-ai',
  'fireworks-ai',
  'friendli',
  'github',
  'groq',
  'huggingface',
  'hyperbolic',
  'inference-net',
  'jina',
  'kluster-ai',
  'krutrim',
  'lambda',
  'lingyi',
  'minimax',
  'mistral-ai',
  'moonshot',
  'nebius',
  'nomic',
  'novita-ai',
  'nscale',
  'ollama',
  'openrouter',
  'oracle',
  'ovhcloud',
  'perplexity-ai',
  'pinecone',
  'recraft-ai',
  'reka-ai',
  'replicate',
  'sambanova',
  'segmind',
  'siliconflow',
  'stability-ai',
  'together-ai',
  'upstage',
  'vllm',
  'voyage',
  'workers-ai',
  'x-ai',
  'z-ai',
  'zhipu',
]
