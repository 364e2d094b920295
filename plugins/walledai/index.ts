/** Walled AI. */
import type { GuardrailPlugin } from '@gateway/core/contract'

const plugin: GuardrailPlugin = { name: 'walledai', title: 'Walled AI', checks: [] }

export default plugin
