/** The control plane: the complete management API as one service package (management contract). */

import type { ServicePlugin } from '@gateway/contract'
import { recordAlert, recordReload, recordToken } from './audit/index.ts'
import { routesOf } from './engine/index.ts'
import { beginFirstOrganisation } from './organisations/index.ts'
import { indexOlderUsers } from './people/index.ts'
import { renderPrompt } from './prompts/index.ts'
import { subjects } from './subjects.ts'
import { createEventIntake } from './webhooks/index.ts'

const plugin: ServicePlugin = {
  name: 'control-plane',
  title: 'Management API',
  async open(context) {
    const opening = [...(await beginFirstOrganisation(context)), ...(await indexOlderUsers(context))]
    return {
      routes: [
        // Registered first, so that `/guardrails/checks` is not read as the id of a guardrail.
        ...subjects.flatMap(({ routes = [] }) => routes.flatMap((make) => make(context))),
        ...subjects.flatMap(({ resources = [] }) =>
          resources.flatMap((resource) => routesOf(resource, context)),
        ),
      ],
      jobs: [...opening, ...subjects.flatMap(({ jobs = [] }) => jobs.map((make) => make(context)))],
      renderPrompt: (request) => renderPrompt(context, request),
      limitReached: (alert) => recordAlert(context, alert),
      emitted: createEventIntake(context),
      configRead: (isApplied) => recordReload(context, isApplied),
      refusedToken: (request, error, token) => recordToken(context, request, error, token),
    }
  },
}

export default plugin
