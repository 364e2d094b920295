/** Workspaces and their members. Other folders import only this file. */
import { defineSubject } from '../engine/index.ts'
import { workspaces } from './workspaces.ts'

export { memberDraft, memberKey, memberWithEmail, memberWithMembership, readRole } from './member.ts'
export { newWorkspace } from './new-workspace.ts'
export { workspaceNameKey, workspaces } from './workspaces.ts'

export const workspaceSubject = defineSubject({ needs: ['counters', 'keyPrefix'], resources: [workspaces] })
