/** The categories of `default.secrets`. Most are the issuer of a key; the last ones are general forms. */
import type { Category } from '../finding.ts'

export const secretCategories = [
  { id: 'aws', title: 'AWS access keys, secret access keys and Bedrock API keys' },
  { id: 'gcp', title: 'Google Cloud API keys, OAuth secrets and tokens, and service account keys' },
  { id: 'azure', title: 'Azure storage and service keys, client secrets and shared access signatures' },
  { id: 'github', title: 'GitHub tokens' },
  { id: 'gitlab', title: 'GitLab tokens' },
  { id: 'slack', title: 'Slack tokens and webhooks' },
  { id: 'stripe', title: 'Stripe secret and restricted keys, and webhook secrets' },
  { id: 'openai', title: 'OpenAI API keys' },
  { id: 'anthropic', title: 'Anthropic API keys' },
  {
    id: 'ai_vendor',
    title: 'API keys of other model vendors (Hugging Face, Groq, xAI, Perplexity, NVIDIA, …)',
  },
  { id: 'npm', title: 'npm tokens' },
  { id: 'pypi', title: 'PyPI tokens' },
  {
    id: 'infrastructure',
    title: 'tokens of hosting and delivery services (DigitalOcean, Docker, HashiCorp, Fly.io, …)',
  },
  { id: 'saas', title: 'tokens of other services (SendGrid, Twilio, Shopify, Atlassian, Telegram, …)' },
  { id: 'jwt', title: 'JSON Web Tokens' },
  { id: 'private_key', title: 'private keys in PEM blocks, and age secret keys' },
  { id: 'connection_string', title: 'URLs and connection strings with a password' },
  {
    id: 'high_entropy',
    title: 'random-looking values assigned to a name such as secret, token or api_key',
  },
] as const satisfies readonly Category[]

export type SecretCategory = (typeof secretCategories)[number]['id']
