/** Lasso. */
import type { GuardrailPlugin } from '@gateway/core/contract'

const plugin: GuardrailPlugin = { name: 'lasso', title: 'Lasso', checks: [] }

export default plugin
