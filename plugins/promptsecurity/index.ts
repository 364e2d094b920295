/** Prompt Security. */
import type { GuardrailPlugin } from '@gateway/core/contract'

const plugin: GuardrailPlugin = { name: 'promptsecurity', title: 'Prompt Security', checks: [] }

export default plugin
