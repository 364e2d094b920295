/** OpenAI moderation. */
import type { GuardrailPlugin } from '@gateway/core/contract'

const plugin: GuardrailPlugin = { name: 'openai', title: 'OpenAI moderation', checks: [] }

export default plugin
