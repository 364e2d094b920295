/** The parameters of `acuvity.scan`: a flag for each detector, and the detector's options. Scores range from 0 to 1. */

import { type Filled, scope, secret, timeoutOf } from '@gateway/plugin-kit'
import { Type } from '@sinclair/typebox'

const flag = (description: string) => Type.Optional(Type.Boolean({ default: false, description }))

const threshold = (what: string) =>
  Type.Optional(
    Type.Number({ minimum: 0, maximum: 1, default: 0.5, description: `The score from which ${what} fails.` }),
  )

const kinds = (description: string) =>
  Type.Optional(Type.Array(Type.String({ minLength: 1, maxLength: 60 }), { default: [], description }))

const language = Type.String({ minLength: 1, maxLength: 40 })

export const parameters = Type.Object(
  {
    prompt_injection: flag('Fails on prompt injections.'),
    prompt_injection_threshold: threshold('a prompt injection'),
    jail_break: flag('Fails on jailbreaks.'),
    jail_break_threshold: threshold('a jailbreak'),
    malicious_url: flag('Fails on malicious URLs.'),
    malicious_url_threshold: threshold('a malicious URL'),
    toxic: flag('Fails on toxic text.'),
    toxic_threshold: threshold('toxicity'),
    biased: flag('Fails on biased text.'),
    biased_threshold: threshold('bias'),
    harmful: flag('Fails on harmful text.'),
    harmful_threshold: threshold('harm'),
    language: flag('Fails on text in one of language_values.'),
    language_values: Type.Optional(
      Type.Union([language, Type.Array(language, { minItems: 1 })], {
        description: 'The languages that are not allowed, under the vendor’s names: "english", "eng_Latn".',
      }),
    ),
    pii: flag('Fails on personal data, unless all of it was redacted.'),
    pii_redact: flag('Lets the vendor mask the kinds in pii_categories.'),
    pii_categories: kinds('Which kinds count, such as email_address, ssn, credit_card. Empty: every kind.'),
    secrets: flag('Fails on secrets, unless all of them were redacted.'),
    secrets_redact: flag('Lets the vendor mask the kinds in secrets_categories.'),
    secrets_categories: kinds(
      'Which kinds count, such as credentials, aws_secret_key, github. Empty: every kind.',
    ),
    scope,
    timeout: timeoutOf(5000),
    apiKey: secret('Overrides plugins.settings.acuvity.apiKey.'),
  },
  { additionalProperties: false },
)

type Members = keyof typeof parameters.static

export type ScanParameters = Filled<typeof parameters, Exclude<Members, 'language_values' | 'apiKey'>>
