/** Aporia. */
import type { GuardrailPlugin } from '@gateway/core/contract'

const plugin: GuardrailPlugin = { name: 'aporia', title: 'Aporia', checks: [] }

export default plugin
