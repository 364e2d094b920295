/** Mistral moderation. */
import type { GuardrailPlugin } from '@gateway/core/contract'

const plugin: GuardrailPlugin = { name: 'mistral', title: 'Mistral moderation', checks: [] }

export default plugin
