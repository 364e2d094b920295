/** Azure AI Content Safety and Language. */
import type { GuardrailPlugin } from '@gateway/core/contract'

const plugin: GuardrailPlugin = { name: 'azure', title: 'Azure AI Content Safety and Language', checks: [] }

export default plugin
