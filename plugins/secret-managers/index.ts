/** Secret managers: AWS Secrets Manager, Azure Key Vault, HashiCorp Vault. */
import type { SecretManagerPlugin } from '@gateway/contract'
import { awsSecretsManager } from './aws-secrets-manager.ts'
import { azureKeyVault } from './azure-key-vault.ts'
import { hashicorpVault } from './hashicorp-vault.ts'

const plugin: SecretManagerPlugin = {
  name: 'secret-managers',
  title: 'Secret managers',
  managers: [awsSecretsManager(), azureKeyVault(), hashicorpVault()],
}

export default plugin
export { type AwsSecretsManagerOptions, awsSecretsManager } from './aws-secrets-manager.ts'
export { type AzureKeyVaultOptions, azureKeyVault } from './azure-key-vault.ts'
export { type HashicorpVaultOptions, hashicorpVault } from './hashicorp-vault.ts'
