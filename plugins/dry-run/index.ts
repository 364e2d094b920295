/** Dry runs: `POST /v1/dry-run`, as the gateway discovers it. Without this package the path answers 404. */
import { defineService } from '@gateway/contract'
import { dryRunNeeds, dryRunRoute } from './route.ts'

export default defineService({
  name: 'dry-run',
  title: 'Dry runs',
  needs: dryRunNeeds,
  open: (context) => ({ routes: [dryRunRoute(context)] }),
})
