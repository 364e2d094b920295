/** The roles of a member of a workspace, with their names. */
export const workspaceRoles = [
  ['member', 'Member'],
  ['manager', 'Manager'],
  ['admin', 'Admin'],
] as const
