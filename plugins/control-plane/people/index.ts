/** People: users, invites, sessions and sign-in. Other folders import only this file. */
import { defineSubject } from '../engine/index.ts'
import { inviteAcceptRoutes } from './invite-accept.ts'
import { invites } from './invites.ts'
import { oidcRoutes } from './oidc/routes.ts'
import { createPeopleWorker } from './people-worker.ts'
import { sessions } from './sessions.ts'
import { signInRoutes } from './sign-in.ts'
import { signInPageRoutes } from './sign-in-page.ts'
import { totpRoutes } from './totp/routes.ts'
import { users } from './users.ts'

export { endConnections } from './end-connections.ts'
export { endSessions } from './end-sessions.ts'
export { indexOlderUsers } from './index-older-users.ts'
export { createInviteToken, inviteKeys, inviteMs, presentInvite } from './invite-data.ts'
export { keepAnOwner, leaveWrites } from './leaving.ts'
export { emailKey, isEmailAllowed, nameOf } from './people.ts'
export { displayNameOf, userNameOf } from './user-index.ts'
export { presentUser } from './user-present.ts'
export { users } from './users.ts'

export const peopleSubject = defineSubject({
  needs: [
    'counters',
    'email',
    'fetch',
    'identify',
    'isAddressAllowed',
    'isBehindTls',
    'keyPrefix',
    'keySets',
    'publicUrl',
    'routes',
    'shared',
  ],
  resources: [invites, users, sessions],
  routes: [inviteAcceptRoutes, signInRoutes, signInPageRoutes, oidcRoutes, totpRoutes],
  jobs: [createPeopleWorker],
})
