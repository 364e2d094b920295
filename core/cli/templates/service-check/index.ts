/** The checks of this plugin, addressed as `{{name}}.CHECK`. */
import type { GuardrailPlugin } from '@gateway/contract'
import { riskBelow } from './risk-below.ts'
import { settings } from './settings.ts'

const plugin: GuardrailPlugin = {
  name: '{{name}}',
  title: '{{title}}',
  checks: [riskBelow],
  settings,
}

export default plugin
