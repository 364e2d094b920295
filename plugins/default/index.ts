/** The local checks, which need no vendor, one file each. */
import type { GuardrailPlugin } from '@gateway/contract'
import { addPrefix } from './add-prefix.ts'
import { allLowercase } from './all-lowercase.ts'
import { allUppercase } from './all-uppercase.ts'
import { allowedRequestTypes } from './allowed-request-types.ts'
import { characterCount } from './character-count.ts'
import { contains } from './contains.ts'
import { containsCode } from './contains-code.ts'
import { endsWith } from './ends-with.ts'
import { inlineImageUrls } from './inline-image-urls.ts'
import { jsonKeys } from './json-keys.ts'
import { jsonSchema } from './json-schema.ts'
import { jwt } from './jwt.ts'
import { language } from './language.ts'
import { llmJudge } from './llm-judge.ts'
import { log } from './log.ts'
import { modelRules } from './model-rules.ts'
import { modelWhitelist } from './model-whitelist.ts'
import { notNull } from './not-null.ts'
import { pii } from './pii.ts'
import { promptInjection } from './prompt-injection.ts'
import { redact } from './redact.ts'
import { regexMatch } from './regex-match.ts'
import { regexReplace } from './regex-replace.ts'
import { requestParametersCheck } from './request-parameters-check.ts'
import { requiredMetadataKeyPairs } from './required-metadata-key-pairs.ts'
import { requiredMetadataKeys } from './required-metadata-keys.ts'
import { secrets } from './secrets.ts'
import { sentenceCount } from './sentence-count.ts'
import { explained } from './shared/explanations.ts'
import { validUrls } from './valid-urls.ts'
import { webhook } from './webhook.ts'
import { wordCount } from './word-count.ts'

const plugin: GuardrailPlugin = {
  name: 'default',
  title: 'Local checks',
  checks: [
    explained(regexMatch),
    explained(contains),
    explained(endsWith),
    explained(wordCount),
    explained(sentenceCount),
    explained(characterCount),
    explained(allLowercase),
    explained(allUppercase),
    explained(notNull),
    explained(jsonSchema),
    explained(jsonKeys),
    explained(containsCode),
    explained(validUrls),
    explained(language),
    explained(secrets),
    explained(pii),
    explained(promptInjection),
    llmJudge,
    explained(modelWhitelist),
    explained(modelRules),
    explained(allowedRequestTypes),
    explained(requestParametersCheck),
    explained(requiredMetadataKeys),
    explained(requiredMetadataKeyPairs),
    explained(jwt),
    webhook,
    log,
    addPrefix,
    regexReplace,
    redact,
    inlineImageUrls,
  ],
}

export default plugin
