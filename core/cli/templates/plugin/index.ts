/** The checks of this plugin, addressed as `{{name}}.CHECK`. */
import type { GuardrailPlugin } from '@gateway/contract'
import { maxWords } from './max-words.ts'

const plugin: GuardrailPlugin = {
  name: '{{name}}',
  title: '{{title}}',
  checks: [maxWords],
}

export default plugin
