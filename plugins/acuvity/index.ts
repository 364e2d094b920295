/** Acuvity. */
import type { GuardrailPlugin } from '@gateway/core/contract'

const plugin: GuardrailPlugin = { name: 'acuvity', title: 'Acuvity', checks: [] }

export default plugin
