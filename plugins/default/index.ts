/** The local checks: what they do needs no vendor. Each stands in a file of its own. */
import type { GuardrailPlugin } from '@gateway/core/contract'
import { addPrefix } from './add-prefix.ts'
import { contains } from './contains.ts'
import { jsonSchema } from './json-schema.ts'
import { modelWhitelist } from './model-whitelist.ts'
import { regexMatch } from './regex-match.ts'
import { regexReplace } from './regex-replace.ts'
import { requiredMetadataKeyPairs } from './required-metadata-key-pairs.ts'
import { webhook } from './webhook.ts'
import { wordCount } from './word-count.ts'

const plugin: GuardrailPlugin = {
  name: 'default',
  title: 'Local checks',
  checks: [
    regexMatch,
    contains,
    wordCount,
    jsonSchema,
    modelWhitelist,
    requiredMetadataKeyPairs,
    webhook,
    addPrefix,
    regexReplace,
  ],
}

export default plugin
