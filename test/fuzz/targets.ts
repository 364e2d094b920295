/** Every parser of untrusted input. */
import type { Target } from './target.ts'
import { configFile } from './targets/config-file.ts'
import { contents } from './targets/contents.ts'
import { cookie } from './targets/cookie.ts'
import { events } from './targets/events.ts'
import { form } from './targets/form-body.ts'
import { headers } from './targets/headers.ts'
import { jsonBody } from './targets/json-body.ts'
import { limitHeaders } from './targets/limit-headers.ts'
import { promptPartials } from './targets/prompt-partials.ts'
import { promptTemplate } from './targets/prompt-template.ts'
import { routingConfig } from './targets/routing-config.ts'

export const targets: readonly Target[] = [
  routingConfig,
  configFile,
  jsonBody,
  contents,
  form,
  events,
  headers,
  cookie,
  promptTemplate,
  promptPartials,
  limitHeaders,
]
