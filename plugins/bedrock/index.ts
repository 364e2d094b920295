/** Amazon Bedrock Guardrails. */
import type { GuardrailPlugin } from '@gateway/core/contract'

const plugin: GuardrailPlugin = { name: 'bedrock', title: 'Amazon Bedrock Guardrails', checks: [] }

export default plugin
