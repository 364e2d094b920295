/** The control plane: the complete management API as one service package (management contract). */

import { defineService } from '@gateway/contract'
import { recordAlert, recordReload, recordToken } from './audit/index.ts'
import { engineNeeds, routesOf, type Subject } from './engine/index.ts'
import { beginFirstOrganisation } from './organisations/index.ts'
import { indexOlderUsers } from './people/index.ts'
import { renderPrompt } from './prompts/index.ts'
import { subjects } from './subjects.ts'
import { createEventIntake } from './webhooks/index.ts'

const served: readonly Subject<(typeof subjects)[number]['needs'][number]>[] = subjects

export default defineService({
  name: 'control-plane',
  title: 'Management API',
  needs: [...engineNeeds, ...served.flatMap(({ needs }) => needs)],
  async open(context) {
    const opening = [...(await beginFirstOrganisation(context)), ...(await indexOlderUsers(context))]
    return {
      routes: [
        // Registered first: otherwise `checks` in `/guardrails/checks` would be read as the id of a guardrail.
        ...served.flatMap(({ routes = [] }) => routes.flatMap((make) => make(context))),
        ...served.flatMap(({ resources = [] }) =>
          resources.flatMap((resource) => routesOf(resource, context)),
        ),
      ],
      jobs: [...opening, ...served.flatMap(({ jobs = [] }) => jobs.map((make) => make(context)))],
      renderPrompt: (request) => renderPrompt(context, request),
      limitReached: (alert) => recordAlert(context, alert),
      emitted: createEventIntake(context),
      configRead: (isApplied) => recordReload(context, isApplied),
      refusedToken: (request, error, token) => recordToken(context, request, { error, token }),
    }
  },
})
