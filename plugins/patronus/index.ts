/** Patronus. */
import type { GuardrailPlugin } from '@gateway/core/contract'

const plugin: GuardrailPlugin = { name: 'patronus', title: 'Patronus', checks: [] }

export default plugin
